"""ladder.html: the matrix, what each rung adds, and what the chapters expect of it, in one file that opens from disk.

Made from matrix.json alone, with the chapters' figures where they were drawn. Labels come from paths: all text is
escaped by the template, figures travel as packed data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rowspace.figures.blocked import Blocked
from rowspace.figures.preservation import draw_preservation
from rowspace.figures.tokens import visible
from rowspace.preservation.base import say
from rowspace.report.page import environment, fill
from rowspace.report.scores import LOOKS, STANDINGS
from rowspace.report.sections import caption
from rowspace.runfolder import write_atomically

HERE = Path(__file__).parent
STYLES = (HERE.parent / "report" / "page.css", HERE / "ladder.css")
SCRIPTS = (HERE.parent / "report" / "page.js", HERE / "ladder.js")
MATRIX = "preservation"
WIDE = frozenset({"contrast"})
"""Figures of several panels."""
LARGEST = 1 << 24
"""Bytes of a figure."""
WORDS = {"so here": ("✓", "success"), "not so here": ("✗", "failure"), "not asked": ("?", "unjudged")}
"""What is found of a statement: its sign and its look."""
KINDS = {"table": "a table made from the text", "rows": "rows of a run", "states": "states of a run"}


def draw(record: Mapping[str, Any]) -> Any:
    """The figure of the matrix."""
    rows = [
        {"label": line["label"], "cells": {test["key"]: _cell(line, test) for test in record["tests"]}}
        for line in record["lines"]
    ]
    return draw_preservation(rows, record["tests"])


def write(path: Path, record: Mapping[str, Any], blocked: Blocked, figures: Mapping[str, str]) -> Path:
    """Write the page of a record; `figures` as JSON by name. Returns its path; MachineError when the disk refuses."""
    write_atomically(path, render(record, blocked, figures).encode("utf-8", "backslashreplace"))
    return path


def read_figures(folder: Path, record: Mapping[str, Any]) -> dict[str, str]:
    """The figures of a ladder that is on disk; what is gone or damaged is left out, that of the matrix drawn again."""
    found = {MATRIX: draw(record).to_json()}
    for file in sorted(folder.glob("*.json")):
        try:
            text = file.read_text(encoding="utf-8") if file.stat().st_size <= LARGEST else ""
            if file.stem not in found and isinstance(json.loads(text).get("layout"), dict):
                found[file.stem] = text
        except (OSError, ValueError, AttributeError, RecursionError):
            continue
    return found


def render(record: Mapping[str, Any], blocked: Blocked, texts: Mapping[str, str]) -> str:
    """The page as text."""
    found = {
        "record": record,
        "about": record["about"],
        "tests": record["tests"],
        "lines": [_line(line, record["tests"]) for line in record["lines"]],
        "groups": [_group(group, record) for group in dict.fromkeys(test["group"] for test in record["tests"])],
        "chapters": [name for name in texts if name != MATRIX],
        "wide": WIDE,
        "captions": {name: caption(json.loads(text)["layout"]) for name, text in texts.items()},
        "counted": _counted(record),
    }
    made = environment(blocked, HERE)
    made.finalize = lambda value: visible(blocked.mask(value)) if type(value) is str else value
    template = made.get_template("ladder.html.jinja")
    return fill(template, found, texts, level=6, scripts=SCRIPTS, styles=STYLES)


def _cell(line: Mapping[str, Any], test: Mapping[str, Any]) -> dict[str, Any]:
    """A cell as texts."""
    cell, unit = line["cells"][test["key"]], test["unit"]
    known = cell["value"] is not None
    chance = say(cell["chance"], unit) if known and cell["chance"] is not None else ""
    limits = [cell["low"], cell["high"]]
    return {
        "standing": cell["standing"],
        "sign": STANDINGS[cell["standing"]][0],
        "word": STANDINGS[cell["standing"]][1],
        "look": LOOKS[cell["standing"]],
        "said": say(cell["value"], unit),
        "chance": chance,
        "interval": " to ".join(say(one, unit) for one in limits) if None not in limits else "",
        "counted": f"{cell['n']:,} of {cell['asked']:,}",
        "reason": cell["reason"] or "",
    }


def _line(line: Mapping[str, Any], tests: Any) -> dict[str, Any]:
    """A rung with its cells in the order of the tests."""
    V, d = line["shape"]
    return {
        **line,
        "size": f"{V:,} x {d:,}",
        "what": KINDS[line["kind"]],
        "made": "; ".join(f"{key}: {value}" for key, value in line["source"].items() if key not in ("table", "text")),
        "cells": [_cell(line, test) for test in tests],
    }


def _group(group: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """One of the chapters' questions: its tests, what is expected, and every cell with its interval and coverage."""
    tests = [test for test in record["tests"] if test["group"] == group]
    rows = [
        {"label": line["label"], "first": place == 0, "test": test["label"], "several": len(tests) > 1}
        | _cell(line, test)
        | {"untrained": line["untrained"] if test["key"] == "order" else None}
        for line in record["lines"]
        for place, test in enumerate(tests)
    ]
    expected = [
        {**one, "sign": WORDS[one["word"]][0], "look": WORDS[one["word"]][1]}
        for one in record["expectations"]
        if one["group"] == group
    ]
    key = "".join(letter if letter.isalnum() else "-" for letter in group)
    untrained = [
        (line["label"], say(line["untrained"], "distance"), line["cells"]["order"]["value"])
        for line in record["lines"]
        if group == "order" and line["untrained"] is not None
    ]
    return {
        "key": key,
        "name": group,
        "tests": tests,
        "rows": rows,
        "expected": expected,
        "untrained": [
            f"{label} {before} before the first step, {say(after, 'distance')} after training"
            for label, before, after in untrained
        ],
    }


def _counted(record: Mapping[str, Any]) -> dict[str, int]:
    """How many statements went which way."""
    return {word: sum(one["word"] == word for one in record["expectations"]) for word in WORDS}
