"""A matrix as plain values and as files: matrix.json holds everything, matrix.csv a row a cell. Written together.

Texts of labels come from paths and tokens: in CSV none may begin a formula.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rowspace.preservation.base import Matrix, Unit, say
from rowspace.preservation.expectations import find_expectations, say_answer
from rowspace.preservation.kept import FILE, FORMAT
from rowspace.report.scores import STANDINGS
from rowspace.runfolder import write_all_atomically

FORMULA = ("=", "+", "-", "@", "\t", "\r")
COLUMNS = ("rung", "label", "kind", "test", "value", "chance", "low", "high", "n", "asked", "standing", "reason")


def record(matrix: Matrix) -> dict[str, Any]:
    """The matrix with what the chapters expect of it and whether it is so, as plain values."""
    tests = [
        {name: getattr(test, name) for name in ("key", "metric", "label", "group", "unit")}
        | {name: getattr(test, name) for name in ("question", "decoder", "chance")}
        for test in matrix.tests
    ]
    fields = ("key", "label", "place", "adds", "kind", "run", "body", "position", "layer", "last", "untrained")
    lines = [
        {name: getattr(line, name) for name in fields}
        | {"shape": list(line.shape), "source": dict(line.source)}
        | {"cells": {test.key: line.scores[test.key].record() for test in matrix.tests}}
        for line in matrix.lines
    ]
    return {
        "format": FORMAT,
        "about": dict(matrix.about),
        "answer": say_answer(matrix),
        "tests": tests,
        "lines": lines,
        "expectations": [vars(one) for one in find_expectations(matrix)],
    }


def write(folder: Path, found: Mapping[str, Any], figures: Mapping[str, str]) -> list[Path]:
    """figures/NAME.json, matrix.csv and, last, matrix.json, all or none. MachineError when the disk refuses."""
    files = {folder / "figures" / f"{name}.json": text.encode() for name, text in figures.items()}
    files |= {folder / "matrix.csv": to_csv(found), folder / FILE: to_json(found)}
    write_all_atomically(files)
    return list(files)


def to_json(found: Mapping[str, Any]) -> bytes:
    """The whole record."""
    return json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")


def rows_of(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A plain row a cell."""
    return [
        {"rung": line["key"], "label": line["label"], "kind": line["kind"], "test": test["key"]}
        | {name: line["cells"][test["key"]][name] for name in COLUMNS[4:]}
        for line in found["lines"]
        for test in found["tests"]
    ]


def to_csv(found: Mapping[str, Any]) -> bytes:
    """The rows of `rows_of`; what is missing is empty."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows_of(found):
        writer.writerow([_cell(row[name]) for name in COLUMNS])
    return text.getvalue().encode("utf-8", "backslashreplace")


def to_markdown(found: Mapping[str, Any]) -> str:
    """The matrix as a Markdown table: value, sign and chance of each cell."""
    tests = found["tests"]
    head = ["rung", *(test["label"] for test in tests)]
    lines = [head, ["---"] * len(head)]
    for line in found["lines"]:
        cells = [
            f"{cell_text(line['cells'][test['key']], test['unit'])}{_chance(line['cells'][test['key']], test['unit'])}"
            for test in tests
        ]
        lines.append([line["label"], *cells])
    return "".join(f"| {' | '.join(map(_markdown, cells))} |\n" for cells in lines)


def cell_text(cell: Mapping[str, Any], unit: Unit) -> str:
    """Sign and value: `✓ +0.62`, `? –`."""
    return f"{STANDINGS[cell['standing']][0]} {say(cell['value'], unit)}"


def _chance(cell: Mapping[str, Any], unit: Unit) -> str:
    return "" if cell["chance"] is None or cell["value"] is None else f" ({say(cell['chance'], unit)})"


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(FORMULA) else text


def _markdown(text: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text)
    for mark in "\\|<>`*_[]":
        shown = shown.replace(mark, f"\\{mark}")
    return shown
