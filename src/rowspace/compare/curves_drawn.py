"""Curves of a comparison as figures: how arms got to their results, and what became of E meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.compare import words
from rowspace.compare.base import Arm, Comparison
from rowspace.compare.curves import Places, curve_of, gathered, joined, places_of, series
from rowspace.figures.comparison import option_colours
from rowspace.figures.comparison_curves import MOST, Curve, draw_curves
from rowspace.figures.geometry import MEASURES
from rowspace.figures.style import CYCLE
from rowspace.runfolder import STEP

SEEDS = 4
"""Runs of an arm whose geometry is read."""
TOKENS = "tokens trained on"
START = 0.12
"""Share of the budget whose values the frame of curves is not fitted to."""
CUT = "The steep start is cut off at the top."
BAND = "A line is the mean of an arm's seeds, its band runs from the lowest seed to the highest."


def draw_curves_of(comparison: Comparison, shown: Sequence[Arm], names: Mapping[str, str]) -> dict[str, Any]:
    if not comparison.ranked:
        return {}
    drawn = {}
    labels, places = {arm.label for arm in shown}, places_of(comparison.ranked)
    rates = " Each arm is drawn at its own chosen learning rate alone." if comparison.sensitivities else ""
    others = [run for arm in comparison.arms if arm.label not in labels for run in arm.runs]
    for figure, key, unit in (("curves", "val/bpb", "bits per byte"), ("loss", "val/loss", "nats per token")):
        curves = [
            joined(
                names[arm.label],
                [series(run.curve, "tokens", key) for run in arm.runs],
                [places[run.path] for run in arm.runs],
            )
            for arm in shown
        ]
        kept = [curve for curve in curves if curve is not None]
        if not kept:
            continue
        grey = [curve for run in others if (curve := curve_of(run, "tokens", key, places)).x]
        warning = " Nats per token of different tokenizers cannot be compared." if figure == "loss" else ""
        drawn[figure] = draw_curves(
            kept,
            grey=grey,
            title="When did the arms part, and were they still falling at the end?",
            x=TOKENS,
            y=f"validation, {unit}",
            cut=START,
            caption=f"{BAND}{rates} {CUT} Lower is better. Lines that still fall have not been trained to their "
            f"end, so their order may change.{warning} A name in the legend switches its arm off and on.",
        )
    return drawn | _curves_by_axis(comparison)


def _curves_by_axis(comparison: Comparison) -> dict[str, Any]:
    drawn, places = {}, places_of(comparison.ranked)
    every = " Every learning rate is drawn, not only the chosen ones." if comparison.sensitivities else ""
    found = [(run, curve) for run in comparison.ranked if (curve := curve_of(run, "tokens", "val/bpb", places)).x]
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
            caption=f"A line is a run.{every} {CUT} Colours that lie in layers mean that this axis matters more than "
            "the others; mixed colours, that others do. Lower is better.",
        )
    return drawn


def _apart(names: Sequence[str]) -> list[str]:
    colours = option_colours(names)
    return colours if len(set(colours)) == len(names) else list(CYCLE[: len(names)])


def same(value: Any, level: Any) -> bool:
    """Whether a setting is a level: 1 and True are two."""
    return value == level and isinstance(value, bool) == isinstance(level, bool)


def draw_geometry(
    shown: Sequence[Arm], names: Mapping[str, str], rows: Mapping[Path, Sequence[Mapping[str, Any]]], places: Places
) -> dict[str, Any]:
    drawn = {}
    for measure, (title, axis, caption) in MEASURES.items():
        key = f"geometry/E/{measure}"
        curves, nulls = [], []
        for arm in shown:
            own = [rows[run.path] for run in arm.runs[:SEEDS] if run.path in rows]
            numbers = [place for run in arm.runs if (place := places.get(run.path)) is not None]
            curve = joined(names[arm.label], [series(found, STEP, key) for found in own], numbers)
            if curve is not None:
                curves.append(curve)
                nulls += [series(found, STEP, f"{key}/null") for found in own]
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


def _null(found: Sequence[Any]) -> list[Curve]:
    curve = joined("null", [one for one in found if len(one[0])])
    if curve is None:
        return []
    band = (curve.low or curve.y, curve.high or curve.y)
    return [
        Curve("null", curve.x, curve.y, [v for v in band[0] if v is not None], [v for v in band[1] if v is not None])
    ]
