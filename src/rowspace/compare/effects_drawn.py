"""Effects of a comparison as figures: a panel an axis, and a panel for each pair that matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rowspace.compare import words
from rowspace.compare.base import Comparison, Effect, Interval, Ran
from rowspace.figures.comparison import Mark, draw_effect, draw_interaction
from rowspace.figures.tokens import visible
from rowspace.table import Missing

PAIRS = 4
"""Interactions that are drawn: those that chance explains least."""


def draw_effects(comparison: Comparison) -> dict[str, Any]:
    """`effect_0`, ... in the order of the comparison, `pair_0`, ..."""
    main = [effect for effect in comparison.effects if len(effect.keys) == 1 and effect.changes]
    base, values = adjusted(comparison, main)
    panels = {effect.keys: _levels(effect, main, values, comparison) for effect in main}
    reach = _reach([mark for marks in panels.values() for mark in marks])
    unit = words.unit_of(comparison.metric)
    drawn: dict[str, Any] = {}
    for place, effect in enumerate(main):
        drawn[f"effect_{place}"] = draw_effect(
            panels[effect.keys],
            title=words.say_effect(effect, comparison.axes, comparison.better),
            axis=words.axis_of(comparison.axes, effect.keys[0]).label,
            unit=unit,
            reach=reach,
        )
    own = {effect.keys[0]: effect for effect in main}
    for place, effect in enumerate(pairs(comparison)):
        drawn[f"pair_{place}"] = _pair(effect, own, base, comparison, unit)
    return drawn


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


def _levels(
    effect: Effect, main: Sequence[Effect], left: Sequence[tuple[Ran, float]], comparison: Comparison
) -> list[Mark]:
    key = effect.keys[0]
    marks = []
    for level, change in effect.changes.items():
        own = [(run, value) for run, value in left if run.settings.get(key) == level[0]]
        points = tuple(round(change.mean + value, 6) for _, value in own)
        marks.append(_mark(words.level_name(key, level[0]), change, points, [visible(run.name) for run, _ in own]))
    return marks


def _mark(label: str, found: Interval, points: tuple[float, ...] = (), names: Sequence[str] = ()) -> Mark:
    low, high = (None if isinstance(end, Missing) else end for end in (found.low, found.high))
    return Mark(label, found.mean, low, high, points, tuple(names))


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
        bar = _mark(words.level_name(across, at[across]), found)
        low, high = (None if end is None else shift + end for end in (bar.low, bar.high))
        lines.setdefault(at[by], []).append(Mark(bar.label, shift + bar.mean, low, high))
    return draw_interaction(
        [(words.level_name(by, level), marks) for level, marks in lines.items()],
        title=words.say_interaction(effect, comparison.axes),
        axis=words.axis_of(comparison.axes, across).label,
        by=words.axis_of(comparison.axes, by).label,
        unit=unit,
    )
