"""Several tokenizers on the same text: their cards, the pieces of one text and the steps of their learning, as tables.

A `Table` is strings only; who prints it chooses the form (`plain`, `markdown`, or a terminal's own). Pieces come from
hostile text: `visible` escapes what could steer a terminal, `markdown` what could become markup.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rowspace.tokenization import explain
from rowspace.tokenization.base import Tokenizer, TokenizerOption
from rowspace.tokenization.card import truth_card
from rowspace.tokenization.closure import certify

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Table:
    """A titled table of strings; the first column names the line."""

    title: str
    head: list[str]
    rows: list[list[str]]


def compare(
    fitted: Mapping[str, Tokenizer], texts: Sequence[bytes], progress: Progress | None = None
) -> list[dict[str, Any]]:
    """A card and a closure certificate for each tokenizer, by label, measured on the same held-out texts."""
    found: list[dict[str, Any]] = []
    for done, (label, tokenizer) in enumerate(fitted.items()):
        if progress is not None:
            progress("measuring tokenizers", done, len(fitted))
        closure = certify(tokenizer)
        card = truth_card(tokenizer, texts, closure)
        found.append({"tokenizer": label, "card": card, "closure": {**asdict(closure), "sentence": closure.sentence()}})
    return found


def explained(fitted: Mapping[str, Tokenizer], text: str) -> list[dict[str, Any]]:
    """The pieces of a text by each tokenizer, one row a token."""
    return [
        {"tokenizer": label, "place": place, **row}
        for label, tokenizer in fitted.items()
        for place, row in enumerate(explain.pieces(tokenizer, text))
    ]


def traced(
    chosen: Mapping[str, TokenizerOption],
    fitted: Mapping[str, Tokenizer],
    texts: Sequence[bytes],
    steps: int,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """The first steps of how each tokenizer learned, one row a step."""
    rows: list[dict[str, Any]] = []
    for label, option in chosen.items():
        decoded = [] if option.takes_any_bytes else [text.decode() for text in texts]
        found = option.trace(decoded, fitted[label], steps, progress=progress)
        rows += [{"tokenizer": label, **row} for row in found]
    return rows


def card_table(compared: Sequence[Mapping[str, Any]]) -> Table:
    """One line a measure, one column a tokenizer."""
    head = ["", *(one["tokenizer"] for one in compared), "unit", "better"]
    lines = zip(*(one["card"] for one in compared), strict=True)
    rows = [
        [same[0]["key"], *(_shown(row["key"], row["value"]) for row in same), same[0]["unit"], same[0]["better"]]
        for same in lines
        if same[0]["key"] != "algorithm"
    ]
    return Table("truth card", head, rows)


def note_table(compared: Sequence[Mapping[str, Any]]) -> Table:
    """What does not fit into a column: the algorithm that really ran, and what the closure certificate found."""
    rows: list[list[str]] = []
    for one in compared:
        algorithm = next(row["value"] for row in one["card"] if row["key"] == "algorithm")
        rows.append([one["tokenizer"], "algorithm", algorithm])
        rows.append([one["tokenizer"], "closure", one["closure"]["sentence"]])
        if one["closure"]["failures"]:
            first = one["closure"]["failures"][0]
            rows.append(
                [one["tokenizer"], "for example", f"{first['text']} comes back as {first['got']} ({first['why']})"]
            )
    return Table("what ran, and what comes back", ["tokenizer", "", ""], rows)


def piece_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """The pieces of the explained text, one line a tokenizer."""
    labels = list(dict.fromkeys(row["tokenizer"] for row in rows))
    of = {label: [row for row in rows if row["tokenizer"] == label] for label in labels}
    lines = [
        [label, str(len(of[label])), str(sum(row["bytes"] for row in of[label])), explain.line(of[label])]
        for label in labels
    ]
    return Table("pieces", ["tokenizer", "tokens", "bytes", "pieces"], lines)


def step_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """The steps of learning, one line a step."""
    lines = [
        [
            row["tokenizer"],
            str(row["step"]),
            "" if row["left"] is None else f"{explain.visible(row['left'])} + {explain.visible(row['right'])}",
            explain.visible(row["piece"]),
            _number(row["count"]),
            _number(row["score"]),
            row["score_is"],
        ]
        for row in rows
    ]
    return Table("steps of learning", ["tokenizer", "step", "joined", "piece", "count", "score", "score is"], lines)


def plain(table: Table) -> str:
    """Aligned text."""
    lines = [table.head, *table.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.head))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([table.title, *text])


def markdown(table: Table) -> str:
    """A Markdown table; the cells are escaped."""
    lines = [table.head, ["---"] * len(table.head), *table.rows]
    cells = ["| " + " | ".join(cell if cell == "---" else _escaped(cell) for cell in line) + " |" for line in lines]
    return "\n".join([f"## {table.title}", "", *cells, ""])


def _escaped(cell: str) -> str:
    escaped = html.escape(cell, quote=False)
    return "".join(f"\\{c}" if c in "\\|`*_[]" else c for c in escaped)


def _shown(key: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value[:12] if key == "sha256" else value
    return _number(value)


def _number(value: float) -> str:
    return f"{int(value):,}" if float(value).is_integer() else f"{value:.4g}"
