"""A comparison -> its figures, by name, in the order of the page. The page and Weights & Biases show the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.compare import words
from rowspace.compare.base import Arm, Comparison, Frontier, Interval
from rowspace.compare.curves import Places, places_of
from rowspace.compare.curves_drawn import draw_curves_of, draw_geometry
from rowspace.compare.effects_drawn import draw_effects, mark
from rowspace.figures.comparison import draw_standings
from rowspace.figures.comparison_curves import MOST, Curve, Star, draw_curves
from rowspace.figures.tokens import visible
from rowspace.table import Missing

SHOWN = 16
"""Arms of the figure of standings."""
BUDGETS = {
    "bytes": ("bytes of text trained on", "bytes", "What tokenizers can be compared at: the text read"),
    "tokens": ("tokens trained on", "tokens", "A token of a larger vocabulary holds more text"),
    "flops": ("FLOPs spent in training", "FLOPs", "What the arithmetic costs, on any machine"),
    "seconds": ("seconds of training", "s", "Of this machine, with whatever else it did meanwhile"),
}
START = 0.12
"""Share of the budget whose values the frame of curves is not fitted to."""
CUT = "The steep start is cut off at the top."


def draw(comparison: Comparison, geometry: Mapping[Path, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Figures by name; `geometry` are rows of metrics.jsonl by the folder of a run."""
    shown, names = emphasised(comparison), words.arm_names(comparison.arms)
    return {
        **draw_effects(comparison),
        **_standings(comparison, names),
        **{
            f"frontier_{one.budget}": _frontier(one, shown, names, places_of(comparison.ranked), _validated(comparison))
            for one in comparison.frontiers
            if _known(one)
        },
        **_sensitivity(comparison, names),
        **draw_curves_of(comparison, shown, names),
        **draw_geometry(shown, names, geometry, places_of(comparison.ranked)),
    }


def emphasised(comparison: Comparison) -> tuple[Arm, ...]:
    """The arms that have a colour: the best ones, and the base that the others are set against."""
    bases = [found.base for found in comparison.differences[:1]]
    best = list(comparison.arms[:MOST])
    if bases and bases[0].label not in {arm.label for arm in best}:
        best[-1] = bases[0]
    return tuple(best)


def _validated(comparison: Comparison) -> str:
    """What curves are read in."""
    return "validation, nats per token" if comparison.metric.endswith("/loss") else "validation, bits per byte"


def _standings(comparison: Comparison, names: Mapping[str, str]) -> dict[str, Any]:
    if not comparison.arms:
        return {}
    first, places = comparison.arms[:SHOWN], places_of(comparison.ranked)
    marks = []
    for arm in first:
        known = [(run, value) for run in arm.runs if (value := run.metrics.get(comparison.metric)) is not None]
        points = [(value, visible(run.name), places[run.path]) for run, value in known]
        marks.append(mark(names[arm.label], arm.result, points))
    left = len(comparison.arms) - len(first)
    unit = words.unit_of(comparison.metric)
    return {"standings": draw_standings(marks, title=words.say_standings(comparison), unit=unit, left_out=left)}


def _known(frontier: Frontier) -> bool:
    return any(not isinstance(point.value, Missing) for point in frontier.points)


def _frontier(
    frontier: Frontier, shown: Sequence[Arm], names: Mapping[str, str], places: Places, unit_of_value: str
) -> Any:
    axis, unit, why = BUDGETS.get(frontier.budget, (frontier.budget, frontier.unit, ""))
    by_arm: dict[str, list[tuple[float, Interval]]] = {}
    for point in frontier.points:
        if not isinstance(point.value, Missing):
            by_arm.setdefault(point.arm.label, []).append((point.spent, point.value))
    labels = [arm.label for arm in shown]
    runs = {point.arm.label: [places[run.path] for run in point.arm.runs] for point in frontier.points}
    curves = [_read(names[label], by_arm[label], runs[label]) for label in labels if label in by_arm]
    grey = [
        _read(names[label], points, runs[label], band=False) for label, points in by_arm.items() if label not in labels
    ]
    stars = [
        Star(spent, value.mean, f"best at {spent:,.4g} {unit}: {names[best.label]}")
        for spent, best in zip(frontier.budgets, frontier.best, strict=True)
        if not isinstance(best, Missing)
        for at, value in by_arm.get(best.label, ())
        if at == spent
    ]
    return draw_curves(
        curves,
        grey=grey,
        stars=stars,
        title=_leaders([names[best.label] for best in frontier.best if not isinstance(best, Missing)]),
        x=f"{axis} (logarithmic)",
        y=unit_of_value,
        log=True,
        ticks=frontier.budgets,
        markers=True,
        caption=f"Read upwards at one budget: the star is the lowest mean there. {why}. Bands are 95 % intervals over "
        "seeds, cut at the frame where two seeds say little. Read between validations and never beyond the last; a "
        "star inside another arm's band is no lead.",
    )


def _leaders(names: Sequence[str]) -> str:
    """Whether one arm is lowest at every budget."""
    firsts = list(dict.fromkeys(names))
    if len(firsts) == 1:
        return f"At every budget the same arm is lowest: {firsts[0]}"
    return f"Which arm is lowest depends on the budget: {len(firsts)} arms take the lead"


def _read(label: str, points: Sequence[tuple[float, Interval]], runs: Sequence[int], *, band: bool = True) -> Curve:
    ordered = sorted(points, key=lambda point: point[0])
    x, y = [spent for spent, _ in ordered], [round(value.mean, 5) for _, value in ordered]
    low = [value.low for _, value in ordered if not isinstance(value.low, Missing)]
    high = [value.high for _, value in ordered if not isinstance(value.high, Missing)]
    whole = band and len(low) == len(high) == len(x)
    return Curve(label, x, y, low if whole else (), high if whole else (), runs=[runs])


def _sensitivity(comparison: Comparison, names: Mapping[str, str]) -> dict[str, Any]:
    if not comparison.sensitivities:
        return {}
    order = {arm.label: place for place, arm in enumerate(comparison.arms)}
    found = sorted(comparison.sensitivities, key=lambda one: order.get(one.arm.label, len(order)))
    called = [names.get(one.arm.label, one.arm.label) for one in found]
    places = places_of(comparison.ranked)
    runs = [[places[run.path] for run in one.arm.runs] for one in found]
    curves = [
        _read(called[place], list(one.values.items()), runs[place], band=place < MOST)
        for place, one in enumerate(found)
    ]
    stars = []
    for name, one in zip(called, found[:MOST], strict=False):
        rate = next(iter(one.arm.chosen.values()), None) or min(one.values, key=lambda rate: one.values[rate].mean)
        edge = ", at the edge of the grid" if one.at_edge else ""
        stars.append(Star(rate, one.values[rate].mean, f"best rate {rate:.3g}{edge}: {name}"))
    edges = sum(one.at_edge for one in found)
    title = words.say_edges(found) if edges else "Every arm has its best rate inside the grid"
    return {
        "sensitivity": draw_curves(
            curves[:MOST],
            grey=curves[MOST:],
            stars=stars,
            title=title,
            x="learning rate (logarithmic)",
            y=_validated(comparison),
            log=True,
            ticks=sorted({rate for one in found for rate in one.values}),
            markers=True,
            caption="Each arm is compared at its own starred rate, chosen on validation. A flat valley forgives a "
            "wrong rate; a star at an end of its line is a warning, not a result. Bands: 95 % intervals over seeds.",
        )
    }
