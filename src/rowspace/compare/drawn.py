"""A comparison -> its figures, by name, in the order of the page. The page and Weights & Biases show the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rowspace.compare import words
from rowspace.compare.base import Arm, Comparison, Frontier, Interval
from rowspace.compare.curves import curve_of, gathered, joined, series
from rowspace.compare.effects_drawn import draw_effects
from rowspace.figures.comparison import Mark, draw_standings, option_colours
from rowspace.figures.comparison_curves import MOST, Curve, Star, draw_curves
from rowspace.figures.geometry import MEASURES
from rowspace.figures.style import CYCLE
from rowspace.table import Missing

SHOWN = 16
"""Arms of the figure of standings."""
SEEDS = 4
"""Runs of an arm whose geometry is read."""
BUDGETS = {
    "bytes": ("bytes of text trained on", "bytes", "What tokenizers can be compared at: the text read"),
    "tokens": ("tokens trained on", "tokens", "A token of a larger vocabulary holds more text"),
    "flops": ("FLOPs spent in training", "FLOPs", "What the arithmetic costs, on any machine"),
    "seconds": ("seconds of training", "s", "Of this machine, with whatever else it did meanwhile"),
}
START = 0.12
"""Share of the budget whose values the frame of curves is not fitted to."""
CUT = "The steep start is cut off at the top."
TOKENS = "tokens trained on"
BAND = "A line is the mean of an arm's seeds, its band runs from the lowest seed to the highest."


def draw(comparison: Comparison, geometry: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Figures by name; `geometry` are rows of metrics.jsonl by the name of a run."""
    shown = emphasised(comparison)
    return {
        **draw_effects(comparison),
        **_standings(comparison),
        **{
            f"frontier_{one.budget}": _frontier(one, shown, _validated(comparison))
            for one in comparison.frontiers
            if _known(one)
        },
        **_sensitivity(comparison),
        **_curves(comparison, shown),
        **_geometry(shown, geometry),
    }


def emphasised(comparison: Comparison) -> tuple[Arm, ...]:
    """The arms that have a colour: the best ones, and the base that the others are set against."""
    bases = [found.base for found in comparison.differences[:1]]
    best = list(comparison.arms[:MOST])
    if bases and bases[0].label not in {arm.label for arm in best}:
        best[-1] = bases[0]
    return tuple(best)


def mark(label: str, found: Interval, points: Sequence[float] = (), names: Sequence[str] = ()) -> Mark:
    low, high = (None if isinstance(end, Missing) else end for end in (found.low, found.high))
    return Mark(label, found.mean, low, high, tuple(points), tuple(names))


def _validated(comparison: Comparison) -> str:
    """What curves are read in."""
    return "validation, nats per token" if comparison.metric.endswith("/loss") else "validation, bits per byte"


def _standings(comparison: Comparison) -> dict[str, Any]:
    if not comparison.arms:
        return {}
    first = comparison.arms[:SHOWN]
    marks = []
    for arm in first:
        seen = [(run.metrics.get(comparison.metric), run.name) for run in arm.runs]
        known = [(value, name) for value, name in seen if value is not None]
        marks.append(mark(arm.label, arm.result, [value for value, _ in known], [name for _, name in known]))
    left = len(comparison.arms) - len(first)
    unit = words.unit_of(comparison.metric)
    return {"standings": draw_standings(marks, title=words.say_standings(comparison), unit=unit, left_out=left)}


def _known(frontier: Frontier) -> bool:
    return any(not isinstance(point.value, Missing) for point in frontier.points)


def _frontier(frontier: Frontier, shown: Sequence[Arm], unit_of_value: str) -> Any:
    axis, unit, why = BUDGETS.get(frontier.budget, (frontier.budget, frontier.unit, ""))
    by_arm: dict[str, list[tuple[float, Interval]]] = {}
    for point in frontier.points:
        if not isinstance(point.value, Missing):
            by_arm.setdefault(point.arm.label, []).append((point.spent, point.value))
    labels = [arm.label for arm in shown]
    curves = [_read(label, by_arm[label]) for label in labels if label in by_arm]
    grey = [_read(label, points, band=False) for label, points in by_arm.items() if label not in labels]
    stars = [
        Star(spent, value.mean, f"best at {spent:,.4g} {unit}: {best.label}")
        for spent, best in zip(frontier.budgets, frontier.best, strict=True)
        if not isinstance(best, Missing)
        for at, value in by_arm.get(best.label, ())
        if at == spent
    ]
    firsts = list(dict.fromkeys(best.label for best in frontier.best if not isinstance(best, Missing)))
    title = (
        f"At every budget the same arm is lowest: {firsts[0]}"
        if len(firsts) == 1
        else f"Which arm is lowest depends on the budget: {len(firsts)} arms take the lead"
    )
    return draw_curves(
        curves,
        grey=grey,
        stars=stars,
        title=title,
        x=f"{axis} (logarithmic)",
        y=unit_of_value,
        log=True,
        ticks=frontier.budgets,
        markers=True,
        caption=f"Read upwards at one budget: the star is the lowest mean there. {why}. Bands are 95 % intervals over "
        "seeds, cut at the frame where two seeds say little. Read between validations and never beyond the last; a "
        "star inside another arm's band is no lead.",
    )


def _read(label: str, points: Sequence[tuple[float, Interval]], *, band: bool = True) -> Curve:
    ordered = sorted(points, key=lambda point: point[0])
    x, y = [spent for spent, _ in ordered], [round(value.mean, 5) for _, value in ordered]
    low = [value.low for _, value in ordered if not isinstance(value.low, Missing)]
    high = [value.high for _, value in ordered if not isinstance(value.high, Missing)]
    whole = band and len(low) == len(high) == len(x)
    return Curve(label, x, y, low if whole else (), high if whole else ())


def _sensitivity(comparison: Comparison) -> dict[str, Any]:
    if not comparison.sensitivities:
        return {}
    order = {arm.label: place for place, arm in enumerate(comparison.arms)}
    found = sorted(comparison.sensitivities, key=lambda one: order.get(one.arm.label, len(order)))
    curves = [_read(one.arm.label, list(one.values.items()), band=place < MOST) for place, one in enumerate(found)]
    stars = []
    for one in found[:MOST]:
        rate = min(one.values, key=lambda rate: one.values[rate].mean)
        edge = ", at the edge of the grid" if one.at_edge else ""
        stars.append(Star(rate, one.values[rate].mean, f"best rate {rate:.3g}{edge}: {one.arm.label}"))
    edges = sum(one.at_edge for one in found)
    title = (
        f"{edges} of {len(found)} arms are best at the edge of their rates: a better one may lie beyond"
        if edges
        else "Every arm has its best rate inside the grid"
    )
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


def _curves(comparison: Comparison, shown: Sequence[Arm]) -> dict[str, Any]:
    if not comparison.ranked:
        return {}
    drawn = {}
    labels = {arm.label for arm in shown}
    others = [run for arm in comparison.arms if arm.label not in labels for run in arm.runs]
    for name, key, unit in (("curves", "val/bpb", "bits per byte"), ("loss", "val/loss", "nats per token")):
        curves = [joined(arm.label, [series(run.curve, "tokens", key) for run in arm.runs]) for arm in shown]
        kept = [curve for curve in curves if curve is not None]
        if not kept:
            continue
        grey = [curve for run in others if (curve := curve_of(run, "tokens", key)).x]
        warning = " Nats per token of different tokenizers cannot be compared." if name == "loss" else ""
        drawn[name] = draw_curves(
            kept,
            grey=grey,
            title="When did the arms part, and were they still falling at the end?",
            x=TOKENS,
            y=f"validation, {unit}",
            cut=START,
            caption=f"{BAND} {CUT} Lower is better. Lines that still fall have not been trained to their end, so "
            f"their order may change.{warning} A name in the legend switches its arm off and on.",
        )
    return drawn | _curves_by_axis(comparison)


def _curves_by_axis(comparison: Comparison) -> dict[str, Any]:
    drawn = {}
    found = [(run, curve) for run in comparison.ranked if (curve := curve_of(run, "tokens", "val/bpb")).x]
    for place, axis in enumerate(comparison.axes if found else ()):
        names = [words.level_name(axis.key, level) for level in axis.levels]
        if axis.key == "seed" or not 1 < len(names) <= MOST:
            continue
        colours = _apart(names)
        groups = [
            gathered(name, own, colour)
            for level, name, colour in zip(axis.levels, names, colours, strict=True)
            if (own := [curve for run, curve in found if same(run.settings.get(axis.key), level)])
        ]
        drawn[f"curves_by_{place}"] = draw_curves(
            groups,
            thin=True,
            title=f"Does {axis.label} sort the runs?",
            x=TOKENS,
            y="validation, bits per byte",
            cut=START,
            caption=f"A line is a run. {CUT} Colours that lie in layers mean that this axis matters more than the "
            "others; mixed colours, that others do. Lower is better.",
        )
    return drawn


def _apart(names: Sequence[str]) -> list[str]:
    colours = option_colours(names)
    return colours if len(set(colours)) == len(names) else list(CYCLE[: len(names)])


def same(value: Any, level: Any) -> bool:
    """Whether a setting is a level: 1 and True are two."""
    return value == level and isinstance(value, bool) == isinstance(level, bool)


def _geometry(shown: Sequence[Arm], rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    drawn = {}
    for measure, (title, axis, caption) in MEASURES.items():
        key = f"geometry/E/{measure}"
        curves, nulls = [], []
        for arm in shown:
            own = [rows[run.name] for run in arm.runs[:SEEDS] if run.name in rows]
            curve = joined(arm.label, [series(found, STEPS, key) for found in own])
            if curve is not None:
                curves.append(curve)
                nulls += [series(found, STEPS, f"{key}/null") for found in own]
        if curves:
            drawn[f"geometry_{measure}"] = draw_curves(
                curves,
                nulls=_null(nulls),
                title=title,
                x="optimizer step",
                y=axis,
                markers=True,
                caption=f"{caption} {BAND} Grey: from the lowest to the highest null of these arms, random tables of "
                "the same shape and norms; each report has its own. Geometry is a description and no score.",
            )
    return drawn


STEPS = "trainer/global_step"


def _null(found: Sequence[Any]) -> list[Curve]:
    curve = joined("null", [one for one in found if len(one[0])])
    if curve is None:
        return []
    band = (curve.low or curve.y, curve.high or curve.y)
    return [
        Curve("null", curve.x, curve.y, [v for v in band[0] if v is not None], [v for v in band[1] if v is not None])
    ]
