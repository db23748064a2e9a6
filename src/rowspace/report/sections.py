"""Answers of probes as sections of a page: in a reader's order, with what stands open and what is folded.

Pure: plain answers in (`rowspace.answers.read`), plain values for the templates out. report.html and probe.html show
them through the same macro. Labels, notes and cells quote what a stranger chose: the templates escape them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any

from rowspace.report.scores import find_scores

ORDER = (
    *("neighbours", "pairs", "analogies", "similarity", "association", "senses", "contextual", "cloze"),
    *("geometry", "alignment", "head", "undertrained"),
)
"""Probes in the order of a reader's questions; others follow by name."""
OPEN = frozenset({"pairs", "analogies", "senses"})
"""Answers that stand open on the page of a run; of the others the question, the sentence and the standing are seen."""
OF_THE_PATH = frozenset({"updates", "losses", "components", "credit"})
"""Answers about how training went, and not about what was learned: report.html has a section for each."""
SIGNS = {"✓": "success", "✗": "failure", "=": "tie", "◦": "under-trained", "?": "unjudged"}
"""The first character of a cell that is a verdict, and the look of it."""
WIDEST = 8
"""Columns of a table that stands open."""
EXAMPLES = 5
"""Successes, and failures, that stand side by side; all of them are in the tables."""
CELLS = 3
"""Cells of a line that are quoted beside its name in an example."""


def prepare(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`answers` in a reader's order with the names of their figures, tables whose columns say what they hold, and
    examples of success and failure; `figures` as JSON by a name of their own and `captions` beside them."""
    found: list[dict[str, Any]] = []
    figures: dict[str, str] = {}
    captions: dict[str, dict[str, str]] = {}
    for answer in sorted(answers, key=_place):
        names = []
        for key, figure in answer["figures"].items():
            names.append(f"{answer['probe']}.{key}")
            figures[names[-1]] = json.dumps(figure)
            captions[names[-1]] = caption(figure["layout"])
        tables = [_table(shown) for shown in answer["shown"]]
        found.append(
            {
                **answer,
                "drawings": names,
                "examples": find_examples(tables),
                "open_tables": [table for table in tables if _stands_open(table)],
                "more_tables": [table for table in tables if not _stands_open(table)],
                "lines": find_scores([answer]),
                "of_the_path": answer["probe"] in OF_THE_PATH,
                "open": answer["probe"] in OPEN,
            }
        )
    return {"answers": found, "figures": figures, "captions": captions}


def find_examples(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The first lines with a success and with a failure, side by side: (name, what stands beside it) of each, and how
    many there are of both. Empty where no table holds verdicts."""
    lines = {"success": list(_judged(tables, "success")), "failure": list(_judged(tables, "failure"))}
    if not any(lines.values()):
        return {}
    return {look: own[:EXAMPLES] for look, own in lines.items()} | {
        f"n_{look}": len(own) for look, own in lines.items()
    }


def _judged(tables: Sequence[Mapping[str, Any]], look: str) -> Iterator[tuple[str, str]]:
    for table in tables:
        for row in table["cells"]:
            looks = [one for _, one in row]
            if look in looks:
                at = looks.index(look)
                beside = [i for i, (text, one) in enumerate(row) if i and not one and text.strip() not in ("", "-")]
                said = [f"{table['head'][i]} {row[i][0]}" for i in beside[:CELLS]]
                verdict = row[at][0][1:].strip()
                told = [verdict] if verdict and verdict != look else []
                yield row[0][0], " · ".join([*told, *said])


def _stands_open(table: Mapping[str, Any]) -> bool:
    """A short, narrow table is read beside its figure; a wide one has lines of many words and is opened by choice."""
    return not table["folded"] and len(table["head"]) <= WIDEST


def caption(layout: Mapping[str, Any]) -> dict[str, str]:
    """Title, caption and text for a screen reader of a figure, from its layout."""
    meta = layout.get("meta") or {}
    title = (layout.get("title") or {}).get("text") or ""
    texts = {"title": title, "caption": meta.get("caption", ""), "alt": meta.get("alt", title)}
    return {name: unescape(text) for name, text in texts.items()}  # Plotly takes them escaped, the page escapes them


def _place(answer: Mapping[str, Any]) -> tuple[int, str]:
    probe = answer["probe"]
    return (ORDER.index(probe) if probe in ORDER else len(ORDER), probe)


def _table(shown: Mapping[str, Any]) -> dict[str, Any]:
    """A table with `columns`: "num" where every cell is a number, else ""; cells are (text, look of a verdict)."""
    rows = shown["rows"]
    width = max((len(row) for row in rows), default=0)
    columns = [_kind([row[at] for row in rows if at < len(row)]) if at else "" for at in range(width)]
    cells = [[(cell, SIGNS.get(cell[:1], "") if cell[1:2] in ("", " ") else "") for cell in row] for row in rows]
    return {**shown, "folded": bool(shown.get("folded")), "columns": columns, "cells": cells}


def _kind(cells: Sequence[str]) -> str:
    """Numbers stand right, words left: "1.5 (+0.2)", "12 %" and "-" are numbers. A column of short cells, most of them
    numbers, is one of numbers."""
    held = [cell.strip() for cell in cells if cell.strip() not in ("", "-", "–")]
    numbers = sum(cell[:1] in "+-−0123456789." for cell in held)
    return "num" if 3 * numbers >= 2 * len(held) and all(len(cell) <= 30 for cell in held) else ""
