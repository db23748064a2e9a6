"""Curves of runs, made light: few points of each, and seeds of an arm joined into a mean with a band."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.compare.base import Ran
from rowspace.figures.comparison_curves import Curve

POINTS = 40
"""Points of a curve that a page keeps."""
DIGITS = 5

Series = tuple[np.ndarray, np.ndarray]
"""x and y, ascending in x."""
Places = Mapping[Path, int]
"""The place of a run among the ranked ones, by its folder."""


def series(rows: Sequence[Mapping[str, Any]], x: str, y: str) -> Series:
    """The rows that have both, as they are."""
    kept = [(row[x], row[y]) for row in rows if row.get(x) is not None and row.get(y) is not None]
    both = np.array(kept, dtype=np.float64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def thinned(found: Series, points: int = POINTS) -> Series:
    """At most so many points, the first and the last among them."""
    x, y = found
    if len(x) <= points:
        return found
    kept = np.unique(np.linspace(0, len(x) - 1, points).round().astype(int))
    return x[kept], y[kept]


def places_of(runs: Iterable[Ran]) -> Places:
    """A number for each run, in this order."""
    return {run.path: place for place, run in enumerate(runs)}


def curve_of(run: Ran, x: str, y: str, places: Places) -> Curve:
    """One run."""
    found = thinned(series(run.curve, x, y))
    return Curve(run.name, short(found[0]), short(found[1]), runs=[[places[run.path]]])


def joined(label: str, found: Sequence[Series], runs: Sequence[int] = ()) -> Curve | None:
    """Seeds of one arm: the mean where all of them were measured, the band from the lowest to the highest. None where
    there is no such place."""
    kept = [one for one in found if len(one[0])]
    if not kept:
        return None
    x = thinned(kept[0])[0]
    x = x[(x >= max(one[0][0] for one in kept)) & (x <= min(one[0][-1] for one in kept))]
    if not len(x):
        return None
    values = np.stack([np.interp(x, *one) for one in kept])
    band = (short(values.min(axis=0)), short(values.max(axis=0))) if len(kept) > 1 else ((), ())
    return Curve(label, short(x), short(values.mean(axis=0)), *band, runs=[runs] if runs else ())


def gathered(label: str, curves: Sequence[Curve], colour: str | None) -> Curve:
    """Many runs as one line with gaps."""
    x = [value for curve in curves for value in (*curve.x, None)]
    y = [value for curve in curves for value in (*curve.y, None)]
    return Curve(label, x, y, colour=colour, runs=[group for curve in curves for group in curve.runs])


def short(values: np.ndarray) -> list[float]:
    """Numbers with a few digits: a page carries tens of thousands."""
    return [float(f"{value:.{DIGITS}g}") for value in values.tolist()]
