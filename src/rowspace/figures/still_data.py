"""The numbers of a figure as rows: one a point, or one a cell of a heat map. What a still draws, a CSV holds."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rowspace.figures.still_text import plain

Row = dict[str, Any]
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet would run."""
_ERRORS = {"array": "plus", "arrayminus": "minus"}
_BOXES = ("lowerfence", "q1", "median", "q3", "upperfence")


def to_csv(figure: Mapping[str, Any]) -> bytes:
    """`figure` is a Plotly figure as plain data. Columns: the trace's place and name, then what its points have, and
    the names of their places where an axis has names; a missing number is an empty cell."""
    layout = figure.get("layout") or {}
    rows = [
        row for place, trace in enumerate(figure["data"]) for row in _named(list(_rows(place, trace)), trace, layout)
    ]
    columns = list(dict.fromkeys(key for row in rows for key in row)) or ["trace", "name", "x", "y"]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _rows(place: int, trace: Mapping[str, Any]) -> Iterator[Row]:
    said = {"trace": place, "name": plain(trace.get("name") or "")}
    if trace.get("type") == "heatmap":
        yield from ({**said, **cell} for cell in _cells(trace))
        return
    columns = _columns(trace)
    n = max(map(len, columns.values()), default=0)
    for point in range(n):
        yield {**said, **{key: column[point] for key, column in columns.items() if point < len(column)}}


def _named(rows: list[Row], trace: Mapping[str, Any], layout: Mapping[str, Any]) -> list[Row]:
    """The rows with x_label and y_label, where all places of the trace on that axis bear a name instead of a number."""
    for axis in ("x", "y"):
        drawn = layout.get(str(trace.get(f"{axis}axis") or axis).replace(axis, f"{axis}axis", 1)) or {}
        names = dict(zip(drawn.get("tickvals") or (), drawn.get("ticktext") or (), strict=False))
        if names and rows and all(row.get(axis) in names for row in rows):
            rows = [{**row, f"{axis}_label": names[row[axis]]} for row in rows]
    return rows


def _columns(trace: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """What each point has, by name: places, text, colours and sizes that differ, bars of intervals, quartiles."""
    columns = {key: trace[key] for key in ("x", "y", "base", "width", "text", *_BOXES) if _is_column(trace.get(key))}
    n = max(map(len, columns.values()), default=0)
    for axis in ("x", "y"):
        columns.setdefault(axis, list(range(n))) if trace.get("type") != "box" else None
        bars = trace.get(f"error_{axis}") or {}
        columns |= {f"{axis}_{said}": bars[key] for key, said in _ERRORS.items() if _is_column(bars.get(key))}
    marker = trace.get("marker") or {}
    return columns | {key: marker[key] for key in ("color", "size", "symbol") if _is_column(marker.get(key))}


def _cells(heat: Mapping[str, Any]) -> Iterator[Row]:
    """A cell a row, the places as numbers or labels."""
    text = heat.get("text")
    for i, line in enumerate(heat["z"]):
        for j, z in enumerate(line):
            x, y = (heat[key][at] if heat.get(key) is not None else at for key, at in (("x", j), ("y", i)))
            yield {"x": x, "y": y, "z": z} | ({} if text is None else {"text": text[i][j]})


def _is_column(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, str):
        text = plain(value)
        return f"'{text}" if text.startswith(FORMULA) else text
    return repr(value) if isinstance(value, float) else str(value)
