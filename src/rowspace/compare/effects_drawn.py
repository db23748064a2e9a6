"""Effects of a comparison as figures: a panel an axis, and a panel for each pair that matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rowspace.compare import words
from rowspace.compare.base import Comparison, Effect, Interval, Ran
from rowspace.compare.curves import places_of
from rowspace.figures.comparison import Mark, Panel, draw_effect, draw_interaction
from rowspace.figures.tokens import visible
from rowspace.table import Missing

PAIRS = 4
"""Interactions that are drawn: those that chance explains least."""


def draw_effects(comparison: Comparison) -> dict[str, Any]:
    """`effect_0`, ... in the order of the comparison, `pair_0`, ..."""
    unit = words.unit_of(comparison.metric)
    found, reach = panels(comparison)
    drawn: dict[str, Any] = {}
    for place, panel in enumerate(found):
        drawn[f"effect_{place}"] = draw_effect(panel.levels, title=panel.title, axis=panel.axis, unit=unit, reach=reach)
    main = mains(comparison)
    base, _ = adjusted(comparison, main)
    own = {effect.keys[0]: effect for effect in main}
    for place, effect in enumerate(pairs(comparison)):
        drawn[f"pair_{place}"] = _pair(effect, own, base, comparison, unit)
    return drawn


def panels(comparison: Comparison) -> tuple[list[Panel], tuple[float, float]]:
    """A panel an axis, the largest effect first, and the scale that all share."""
    main = mains(comparison)
    _, values = adjusted(comparison, main)
    found = [
        Panel(
            words.say_effect(effect, comparison.axes, comparison.better),
            words.axis_of(comparison.axes, effect.keys[0]).label,
            _levels(effect, values, comparison),
        )
        for effect in main
    ]
    return found, _reach([mark for panel in found for mark in panel.levels])


def mains(comparison: Comparison) -> list[Effect]:
    """The effects of single axes that can be told."""
    return [effect for effect in comparison.effects if len(effect.keys) == 1 and effect.changes]


def pairs(comparison: Comparison) -> list[Effect]:
    """The interactions that are drawn."""
    two = [effect for effect in comparison.effects if len(effect.keys) == 2 and effect.changes]
    likely = sorted(two, key=lambda one: (1.0 if isinstance(one.p_value, Missing) else one.p_value, -one.span))
    telling = [one for one in likely if not isinstance(one.p_value, Missing) and one.p_value <= words.LIKELY]
    return telling[:PAIRS]


def adjusted(comparison: Comparison, main: Sequence[Effect]) -> tuple[float, list[tuple[Ran, float]]]:
    """The mean of the runs, and each run's distance from it less what every axis does: what is left over."""
    runs = [run for arm in comparison.arms for run in arm.runs] or list(comparison.ranked)
    known = [(run, value) for run in runs if (value := run.metrics.get(comparison.metric)) is not None]
    left = [(run, value - sum(_change(effect, run) for effect in main)) for run, value in known]
    base = sum(value for _, value in left) / len(left) if left else 0.0
    return base, [(run, value - base) for run, value in left]


def _change(effect: Effect, run: Ran) -> float:
    found = effect.changes.get((run.settings.get(effect.keys[0]),))
    return found.mean if found is not None else 0.0


def _levels(effect: Effect, left: Sequence[tuple[Ran, float]], comparison: Comparison) -> list[Mark]:
    key = effect.keys[0]
    marks, places = [], places_of(comparison.ranked)
    for level, change in effect.changes.items():
        own = [(run, value) for run, value in left if run.settings.get(key) == level[0]]
        points = [(round(change.mean + value, 6), visible(run.name), places[run.path]) for run, value in own]
        marks.append(mark(words.level_name(key, level[0]), change, points))
    return marks


def mark(label: str, found: Interval, points: Sequence[tuple[float, str, int]] = ()) -> Mark:
    """`points`: value, name and place of the single runs."""
    low, high = (None if isinstance(end, Missing) else end for end in (found.low, found.high))
    values, names, runs = zip(*points, strict=True) if points else ((), (), ())
    return Mark(label, found.mean, low, high, values, names, runs)


def _reach(marks: Sequence[Mark]) -> tuple[float, float]:
    """One scale for all panels: every mean and point is on it; bars may be cut where two seeds say little."""
    values = [value for mark in marks for value in (mark.mean, *mark.points)]
    bars = [end for mark in marks for end in (mark.low, mark.high) if end is not None]
    most = max((abs(value) for value in values), default=0.0) or 0.01
    wide = max((abs(end) for end in bars), default=0.0)
    most = 1.12 * max(most, min(wide, 2 * most))
    return -most, most


def _pair(effect: Effect, own: Mapping[str, Effect], base: float, comparison: Comparison, unit: str) -> Any:
    """Means of cells: what both axes do, and what they do together; bars are those of the latter."""
    across, by = sorted(effect.keys[:2], key=lambda key: -len(words.axis_of(comparison.axes, key).levels))
    lines: dict[Any, list[Mark]] = {}
    for level, found in effect.changes.items():
        at = dict(zip(effect.keys, level, strict=True))
        shift = base + sum(
            own[key].changes[(at[key],)].mean for key in at if key in own and (at[key],) in own[key].changes
        )
        bar = mark(words.level_name(across, at[across]), found)
        low, high = (None if end is None else shift + end for end in (bar.low, bar.high))
        lines.setdefault(at[by], []).append(Mark(bar.label, shift + bar.mean, low, high))
    return draw_interaction(
        [(words.level_name(by, level), marks) for level, marks in lines.items()],
        title=words.say_interaction(effect, comparison.axes),
        axis=words.axis_of(comparison.axes, across).label,
        by=words.axis_of(comparison.axes, by).label,
        unit=unit,
    )
