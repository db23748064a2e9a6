"""A comparison as files, by the suffix: tables in CSV, parquet or Markdown, main effects as SVG. Whole or not at all.

CSV and parquet have every setting, metric and cost; Markdown, which is for reading, has the axes and the first numbers.
Texts come from run folders: in CSV none may begin a formula, in Markdown none may end a cell.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.compare.answer import LIMITS
from rowspace.compare.arms import value_of
from rowspace.compare.base import Comparison, Interval, Ran
from rowspace.errors import ConfigError, Problem, closest
from rowspace.runfolder import write_all_atomically
from rowspace.table import Missing

Row = dict[str, Any]
DRAWING = ".svg"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
READABLE = (
    *("val/bpb", "test/bpb", "test/loss"),
    *("cost.parameters", "cost.flops", "cost.tokens", "cost.bytes", "cost.seconds"),
    *("geometry/E/effective_rank_sigma_uncentred", "geometry/E/mean_cosine_raw", "probe/neighbours/hit_rate"),
)
"""Numbers that a Markdown table has beside the axes and the metric."""


def write(found: Comparison, out: Path) -> list[Path]:
    """The table of runs at `out`, and that of arms beside it as NAME-arms.SUFFIX; a .svg is the panels of main effects.

    ConfigError for another suffix, and for effects where none can be told.
    """
    if out.suffix == DRAWING:
        write_all_atomically({out: _drawing(found, out)})
        return [out]
    make = WRITERS.get(out.suffix)
    if make is None:
        raise ConfigError(Problem("out", f"{out.name!r} was given", closest(out.suffix, [*WRITERS, DRAWING])))
    runs = run_rows(found)
    if out.suffix == ".md":
        keep = dict.fromkeys(["name", *(axis.key for axis in found.axes), found.metric, *READABLE, "apart"])
        runs = [{key: row[key] for key in keep if key in row} for row in runs]
    files = {out: make(runs), out.with_name(f"{out.stem}-arms{out.suffix}"): make(arm_rows(found))}
    write_all_atomically(files)
    return list(files)


def _drawing(found: Comparison, out: Path) -> bytes:
    from rowspace.compare import words
    from rowspace.compare.effects_drawn import panels
    from rowspace.figures.effects_svg import draw_effects_svg

    drawn, reach = panels(found)
    if not drawn:
        right = "runs that differ in something beside the seed, or a table (.csv, .parquet, .md)"
        raise ConfigError(Problem("out", f"{out.name!r} was given, and no effect of these runs can be told", right))
    first, rest = words.split_answer(found.answer)
    note = rest[rest.rindex(LIMITS) :] if LIMITS in rest else ""
    unit = words.unit_of(found.metric)
    return draw_effects_svg(drawn, heading=first, unit=unit, note=note, reach=reach).encode()


def run_rows(found: Comparison) -> list[Row]:
    """A row a run, ranked ones first; `apart` says why a run is not ranked. The same columns in every row."""
    rows = [_of_run(run, found.metric) for run in found.ranked]
    rows += [{"name": one.name, "path": str(one.path), "apart": one.reason, **one.levels} for one in found.apart]
    return _even(rows)


def arm_rows(found: Comparison) -> list[Row]:
    """A row an arm, best first, with its interval and its difference from the base."""
    against = {id(one.arm): one for one in found.differences}
    rows = []
    for arm in found.arms:
        row: Row = {**arm.levels, **{f"chosen {key}": value for key, value in arm.chosen.items()}}
        row |= _limits(found.metric, arm.result) | {"seeds": arm.result.n, "runs": len(arm.runs)}
        difference = against.get(id(arm))
        if difference is not None:
            row["base"] = difference.base.label
            row |= _limits("difference", difference.difference)
            row |= {"paired": difference.paired, "margin": difference.margin, "verdict": difference.verdict}
        rows.append(row)
    return _even(rows)


def _of_run(run: Ran, metric: str) -> Row:
    row: Row = {"name": run.name, "path": str(run.path), "apart": None, "text": run.text, metric: value_of(run, metric)}
    row["audit"] = run.audit.get("test/bpb")
    costs = {f"cost.{key}": value for key, value in run.cost.items()}
    return row | dict(run.settings) | costs | dict(sorted(run.metrics.items()))


def _limits(name: str, interval: Interval) -> Row:
    parts = {"": interval.mean, " low": interval.low, " high": interval.high, " sd": interval.sd}
    return {f"{name}{end}": None if isinstance(value, Missing) else value for end, value in parts.items()}


def _even(rows: Sequence[Row]) -> list[Row]:
    columns = dict.fromkeys(key for row in rows for key in row)
    return [{key: row.get(key) for key in columns} for row in rows]


def _csv(rows: Sequence[Row]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    if rows:
        writer.writerow(_csv_cell(key) for key in rows[0])
    writer.writerows([_csv_cell(value) for value in row.values()] for row in rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _csv_cell(value: Any) -> str:
    text = _text(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(FORMULA) else text


def _markdown(rows: Sequence[Row]) -> bytes:
    if not rows:
        return b""
    head = [_markdown_cell(key) for key in rows[0]]
    lines = [head, ["---"] * len(head), *([_markdown_cell(value) for value in row.values()] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).encode("utf-8", "backslashreplace")


def _markdown_cell(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else _text(value)
    shown = "".join(c if c.isprintable() else " " for c in text)
    for mark in "\\|<>`*_[]":
        shown = shown.replace(mark, f"\\{mark}")
    return shown


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, tuple | list | dict) else str(value)


def _parquet(rows: Sequence[Row]) -> bytes:
    """Numbers as numbers; a column of several kinds as text."""
    import pyarrow
    from pyarrow import parquet

    columns = {key: [row[key] for row in rows] for key in (rows[0] if rows else ())}
    table = pyarrow.table({key: _column(values) for key, values in columns.items()})
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()


def _column(values: Sequence[Any]) -> list[Any]:
    kinds = {float if type(value) is int else type(value) for value in values if value is not None}
    if kinds <= {float}:
        whole = all(value is None or type(value) is int for value in values)
        return list(values) if whole else [None if value is None else float(value) for value in values]
    if kinds <= {bool} or kinds <= {str}:
        return [value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for value in values]
    return [None if value is None else _text(value) for value in values]


WRITERS: Mapping[str, Callable[[Sequence[Row]], bytes]] = {".csv": _csv, ".parquet": _parquet, ".md": _markdown}
