"""The comparison as one run of Weights & Biases, in the group of its study: tables, the page's figures, the numbers.

Its id stays in <study>/comparison.json, so that a sweep that is taken up again writes to the same run. Never read back;
whatever the client raises becomes one warning.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rowspace.compare import words
from rowspace.compare.base import Comparison, Interval
from rowspace.compare.curves_drawn import SEEDS
from rowspace.compare.drawn import draw, emphasised
from rowspace.compare.nearby import read_geometry
from rowspace.figures.tokens import visible
from rowspace.table import Missing
from rowspace.training.base import LoggerOption
from rowspace.training.summary_run import log_summary_run
from rowspace.training.tracking import Tracking

JOB = "comparison"
FILE = "comparison.json"


def log_summary(comparison: Comparison, study: Path, option: LoggerOption, say: Callable[[str], None]) -> str | None:
    """Log it and return the command that uploads it, where it waits offline. Says a problem once and goes on."""

    def fill(tracking: Tracking) -> dict[str, Any]:
        step = len(comparison.ranked)
        for name, rows in tables(comparison).items():
            tracking.table(step, f"comparison/{name}", rows)
        for name, figure in draw(comparison, read_geometry(emphasised(comparison), SEEDS)).items():
            tracking.figure(step, f"comparison/{name}", figure)
        return summary(comparison)

    named = {"name": f"{study.name} compared", "group": study.name, "config": _config(comparison)}
    return log_summary_run(option, study / FILE, fill, job=JOB, say=say, **named)


def tables(comparison: Comparison) -> dict[str, list[dict[str, Any]]]:
    """Runs, arms, effects and what was set apart, as rows of plain values."""
    keys = [axis.key for axis in comparison.axes]
    metric = comparison.metric
    of_base = {found.arm.label: found for found in comparison.differences}
    arms = []
    for place, arm in enumerate(comparison.arms):
        found = of_base.get(arm.label)
        arms.append(
            {"place": place + 1, "arm": arm.label, "seeds": len(arm.runs)}
            | _ends(metric, arm.result)
            | (_ends("difference", found.difference) if found else _nothing("difference"))
            | {"verdict": found.verdict if found else None, **{f"chosen {k}": v for k, v in arm.chosen.items()}}
        )
    effects = [
        {"axis": " x ".join(effect.keys), "level": ", ".join(map(words.level_name, effect.keys, level))}
        | _ends("change", change)
        | {"p": None if isinstance(effect.p_value, Missing) else effect.p_value}
        for effect in comparison.effects
        for level, change in effect.changes.items()
    ]
    runs = [
        {"run": run.name, **{key: _plain(run.settings.get(key)) for key in keys}, metric: run.metrics.get(metric)}
        | {f"cost {key}": value for key, value in run.cost.items()}
        for run in comparison.ranked
    ]
    return {"runs": runs, "arms": arms, "effects": effects, "apart": [_apart(one) for one in comparison.apart]}


def summary(comparison: Comparison) -> dict[str, Any]:
    """The answer and its numbers."""
    found: dict[str, Any] = {
        "answer": visible(comparison.answer),
        "question": visible(comparison.question),
        "runs/ranked": len(comparison.ranked),
        "runs/apart": len(comparison.apart),
        "arms": len(comparison.arms),
    }
    if comparison.arms:
        best = comparison.arms[0]
        found |= {"best/arm": visible(best.label), **_ends("best/mean", best.result)}
    spans = {f"effect/{effect.keys[0]}": effect.span for effect in comparison.effects if len(effect.keys) == 1}
    return found | spans


def _config(comparison: Comparison) -> dict[str, Any]:
    axes = {axis.key: [_plain(level) for level in axis.levels] for axis in comparison.axes}
    return {"metric": comparison.metric, "axes": axes}


def _ends(name: str, found: Interval) -> dict[str, Any]:
    """A mean and its interval, null where there is none."""
    low, high = (None if isinstance(end, Missing) else end for end in (found.low, found.high))
    return {name: found.mean, f"{name} low": low, f"{name} high": high}


def _nothing(name: str) -> dict[str, Any]:
    return {name: None, f"{name} low": None, f"{name} high": None}


def _apart(one: Any) -> dict[str, Any]:
    return {"run": one.name, "reason": one.reason}


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | int | float | str | None) else str(value)
