"""Arms at equal bytes, tokens, FLOPs or seconds, read off their validation curves.

Between two validated steps the value is linear in the logarithm of what was spent; before the first validated step and
beyond the last there is no value. A reading in the middle of a run is not what a run of that budget would give: its
learning rate had not come down. FLOPs are those of training, the head's products (2 V d a token forward) included.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence

from rowspace.compare.axes import replicate
from rowspace.compare.base import Arm, Budget, Frontier, Ran, Reading
from rowspace.compare.intervals import interval
from rowspace.table import Missing

UNITS: dict[Budget, str] = {
    "bytes": "bytes of text",
    "tokens": "tokens",
    "flops": "FLOPs of training",
    "seconds": "seconds of training",
}
SHARES = (0.125, 0.25, 0.5, 1.0)
"""Budgets as shares of the largest that every arm was measured at."""
RATIOS = 4
FARTHER = 1.05
"""How much farther than all reach some must reach, to be read there too."""
ROUNDING = 1e-9


def read_at(run: Ran, budget: Budget, spent: float, key: str) -> float | Missing:
    """The run's validation value where it had spent so much."""
    points = [(point[budget], point[key]) for point in run.curve]
    known = sorted((at, value) for at, value in points if at is not None and at > 0 and value is not None)
    if not known:
        return Missing(f"{run.name} has no curve of {key} over {budget}")
    if spent < known[0][0] * (1 - ROUNDING):
        return Missing(f"{run.name} was first validated at {known[0][0]:.3g} {budget}")
    if spent > known[-1][0] * (1 + ROUNDING):
        return Missing(f"{run.name} ended at {known[-1][0]:.3g} {budget}")
    for (before, low), (after, high) in itertools.pairwise(known):
        if spent <= after:
            share = math.log(max(spent, before) / before) / math.log(after / before) if after > before else 1.0
            return low + share * (high - low)
    return known[-1][1]


def find_frontiers(arms: Sequence[Arm], key: str, *, better: str = "lower") -> tuple[Frontier, ...]:
    """A frontier a budget, over arms that have curves of `key`; none where no two arms can be read."""
    found = [_frontier(arms, budget, key, better) for budget in UNITS]
    return tuple(one for one in found if one is not None)


def reach(arm: Arm, budget: Budget, key: str) -> tuple[float, float] | None:
    """From which budget to which every run of an arm was validated."""
    lows, highs = [], []
    for run in arm.runs:
        spent = [at for point in run.curve if (at := point[budget]) is not None and at > 0 and point[key] is not None]
        if not spent:
            return None
        lows.append(min(spent))
        highs.append(max(spent))
    return max(lows), min(highs)


def budgets_of(ranges: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """Where to read: shares of the largest budget that all reach, and the largest that any does if that is much more.

    Where there is none that all reach: equal ratios from the first to the last, and nothing if all are about the same.
    """
    first, last = max(low for low, _ in ranges), min(high for _, high in ranges)
    nearest, farthest = min(low for low, _ in ranges), max(high for _, high in ranges)
    if first > last * (1 + ROUNDING):
        if farthest < nearest * FARTHER:
            return ()
        return tuple(nearest * (farthest / nearest) ** (step / RATIOS) for step in range(RATIOS + 1))
    budgets = {share * last for share in SHARES if first <= share * last * (1 + ROUNDING)}
    if farthest > last * FARTHER:
        budgets.add(farthest)
    return tuple(sorted(budgets))


def _frontier(arms: Sequence[Arm], budget: Budget, key: str, better: str) -> Frontier | None:
    ranges = {number: found for number, arm in enumerate(arms) if (found := reach(arm, budget, key)) is not None}
    if len(ranges) < 2:
        return None
    budgets = budgets_of(list(ranges.values()))
    if not budgets:
        return None
    points, best = [], []
    for spent in budgets:
        readings = [_reading(arms[number], budget, spent, key) for number in ranges]
        points += readings
        best.append(_best(readings, len(arms), better))
    return Frontier(budget, UNITS[budget], budgets, tuple(points), tuple(best))


def _reading(arm: Arm, budget: Budget, spent: float, key: str) -> Reading:
    values = [read_at(run, budget, spent, key) for run in arm.runs]
    missing = next((value for value in values if isinstance(value, Missing)), None)
    if missing is not None:
        return Reading(arm, spent, missing)
    by_seed: dict[Hashable, list[float]] = {}  # an arm that pools others has several runs a seed
    for run, value in zip(arm.runs, values, strict=True):
        by_seed.setdefault(replicate(run), []).append(float(value))  # type: ignore[arg-type]
    return Reading(arm, spent, interval([sum(own) / len(own) for own in by_seed.values()]))


def _best(readings: Sequence[Reading], arms: int, better: str) -> Arm | Missing:
    """The arm with the best mean, where every arm was measured."""
    known = [(one.value.mean, one.arm) for one in readings if not isinstance(one.value, Missing)]
    if len(known) < arms:
        return Missing(f"{len(known)} of {arms} arms were measured at this budget")
    return (min if better == "lower" else max)(known, key=lambda pair: pair[0])[1]
