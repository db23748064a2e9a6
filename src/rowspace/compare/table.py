"""Runs and arms as rows of the page's tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rowspace.compare import words
from rowspace.compare.base import Axis, Comparison, Ran
from rowspace.compare.curves_drawn import same
from rowspace.report.facts import say_bytes, say_number, say_seconds

PAGE = 25
"""Rows of the table of runs that stand on the page at once."""


@dataclass(frozen=True)
class Column:
    """A column of numbers: where the number is, and how it is said."""

    label: str
    title: str
    of: Callable[[Ran], float | None]
    say: Callable[[Any], str]


def _metric(key: str) -> Callable[[Ran], float | None]:
    return lambda run: run.metrics.get(key)


def _cost(key: str) -> Callable[[Ran], float | None]:
    return lambda run: run.cost.get(key)


def _plain(digits: int) -> Callable[[Any], str]:
    return lambda value: f"{value:.{digits}f}"


def say_large(value: Any) -> str:
    """1.2 P, 3.4 T: FLOPs."""
    for size, unit in ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G")):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return say_number(value)


COLUMNS = (
    Column("val bpb", "bits per byte of validation text, at the best checkpoint", _metric("val/bpb"), _plain(4)),
    Column("test loss", "nats per token: not comparable between tokenizers", _metric("test/loss"), _plain(4)),
    Column("parameters", "trained numbers, E and U included", _cost("parameters"), say_number),
    Column("tokens", "tokens trained on", _cost("tokens"), say_number),
    Column("bytes", "bytes of text trained on", _cost("bytes"), say_bytes),
    Column("FLOPs", "floating point operations of training", _cost("flops"), say_large),
    Column("time", "seconds from start to end", _cost("seconds"), say_seconds),
    Column("memory", "peak of the process", _cost("peak_memory_bytes"), say_bytes),
    Column(
        "rank of E", "effective rank in directions", _metric("geometry/E/effective_rank_sigma_uncentred"), _plain(1)
    ),
    Column("cosine of E", "mean cosine of all pairs of rows", _metric("geometry/E/mean_cosine_raw"), _plain(3)),
    Column(
        "neighbours", "share of nearest rows that a word list holds", _metric("probe/neighbours/hit_rate"), _plain(3)
    ),
)


def columns_of(comparison: Comparison) -> list[Column]:
    """The metric first, then what at least one run has."""
    first = Column(comparison.metric, "what runs are ranked by", _metric(comparison.metric), _plain(4))
    rest = [column for column in COLUMNS if any(column.of(run) is not None for run in comparison.ranked)]
    return [first, *rest]


def run_rows(comparison: Comparison, columns: Sequence[Column], out: Path) -> list[dict[str, Any]]:
    """A row a ranked run."""
    levels = [axis.levels for axis in comparison.axes]
    return [
        {
            "name": run.name,
            "href": link(run.path, out),
            "levels": [
                place_of(run.settings.get(axis.key), own) for axis, own in zip(comparison.axes, levels, strict=True)
            ],
            "cells": [_cell(column, run) for column in columns],
        }
        for run in comparison.ranked
    ]


def arm_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """A row an arm, best first, with its difference from the base."""
    by_arm = {found.arm.label: found for found in comparison.differences}
    base = comparison.differences[0].base.label if comparison.differences else None
    rows = []
    for place, arm in enumerate(comparison.arms):
        found = by_arm.get(arm.label)
        look, sign = words.sign_of(found.verdict) if found is not None else ("", "")
        rows.append(
            {
                "place": words.place_name(place + 1),
                "medal": place < len(words.PLACES),
                "label": arm.label,
                "levels": [
                    place_of(arm.levels.get(axis.key), axis.levels) if axis.key in arm.levels else -1
                    for axis in comparison.axes
                ],
                "chosen": ", ".join(f"{level:.6g}" for level in arm.chosen.values()),
                "n": len(arm.runs),
                "mean": arm.result.mean,
                "said": words.say_interval(arm.result),
                "why": words.say_why(arm.result),
                "is_base": arm.label == base,
                "difference": found and words.say_interval(found.difference, signed=True),
                "gap": found and found.difference.mean,
                "verdict": found and found.verdict,
                "look": look,
                "sign": sign,
            }
        )
    return rows


def link(path: Path, out: Path) -> str:
    """The run's report, as the page's folder sees it; empty where there is none."""
    report = path / "report.html"
    if not report.is_file():
        return ""
    return quote(Path(os.path.relpath(report.absolute(), out.absolute().parent)).as_posix())


def place_of(value: Any, levels: Sequence[Any]) -> int:
    """Which level it is, -1 where none."""
    return next((place for place, level in enumerate(levels) if same(value, level)), -1)


def level_names(axis: Axis) -> list[str]:
    return [words.level_name(axis.key, level) for level in axis.levels]


def _cell(column: Column, run: Ran) -> tuple[str, str]:
    """The number as it sorts, and as it is said."""
    value = column.of(run)
    return ("", "–") if value is None else (f"{value:.9g}", column.say(value))
