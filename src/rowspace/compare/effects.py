"""Main effects and two-way interactions of the axes by least squares, for a whole grid, a fraction or a torn one.

A main effect is each level's mean with the other axes held equal (type II: beyond the other main effects); an
interaction is beyond all main effects and the other interactions. What cannot be told from something else is named and
has no numbers. The error is what the model with all two-way interactions leaves, where it leaves three degrees of
freedom or more, else what main effects leave, which is larger. Seeds are blocks where every arm has the same ones.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import fdtrc, stdtrit

from rowspace.compare.arms import value_of
from rowspace.compare.axes import replicate
from rowspace.compare.base import Arm, Axis, Effect, Interval
from rowspace.compare.linear import Design, Model, Term, alike, centring, squares_left
from rowspace.table import Missing

LEAST_LEFT = 3
"""Degrees of freedom below which the model with interactions is no measure of error."""
MOST_COLUMNS = 400
"""Combinations of levels beyond which interactions are not looked at."""
NO_RUNS_LEFT = "no runs are left to tell it from noise: run more seeds"


@dataclass(frozen=True)
class Error:
    """Variance of one run about its model, on `df` degrees of freedom."""

    variance: float
    df: int


@dataclass(frozen=True)
class Told:
    """What a design says of a term whatever the values: an estimate is `weights` (cells, runs) times y."""

    cells: Sequence[tuple[Any, ...]]
    weights: np.ndarray
    spread: np.ndarray
    """Standard error of each estimate, in standard deviations of a run."""
    model: Model
    without: np.ndarray
    """Orthonormal columns of the model without the term."""

    @classmethod
    def of(cls, cells: Sequence[tuple[Any, ...]], contrasts: np.ndarray, model: Model, without: np.ndarray) -> Told:
        weights = model.weights(contrasts)
        return cls(cells, weights, np.linalg.norm(weights, axis=1), model, without)


class Effects:
    """The effects that a design can tell; values are handed in last, so that one design serves many."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.mains = design.mains
        self.pairs: list[Term] = [tuple(pair) for pair in itertools.combinations(design.levels, 2)]
        self.both = [*self.mains, *self.pairs]
        self.additive = Model(design.matrix(self.mains))
        columns = sum(len(design.combinations(pair)) for pair in self.pairs)
        self.full = Model(design.matrix(self.both)) if self.pairs and columns <= MOST_COLUMNS else None
        left = design.n - self.full.rank if self.full is not None else 0
        self.judge = self.full if self.full is not None and left >= LEAST_LEFT else self.additive
        self._of = {term: self._points_of(term) for term in self.both}
        self._told: dict[Term, Told | str] = {term: self._main(term) for term in self.mains}
        self._told |= {pair: self._pair(pair) for pair in self.pairs}

    def main(self, key: str, y: np.ndarray) -> Effect:
        """What the levels of one axis do."""
        return self._effect((key,), y, self.judge)

    def pair(self, pair: Term, y: np.ndarray) -> Effect:
        """What two axes do together, beyond what each does."""
        return self._effect(pair, y, self.full or self.judge)

    def untold(self) -> list[Term]:
        """Interactions that cannot be told."""
        return [pair for pair in self.pairs if isinstance(self._told[pair], str)]

    def left_out(self, key: str) -> list[Hashable]:
        """Levels of an axis whose effect cannot be told, where that of others can."""
        told = self._told[(key,)]
        if isinstance(told, str):
            return []
        return [level for level in self.design.levels[key] if (level,) not in told.cells]

    def _main(self, term: Term) -> Told | str:
        cells, start = self.design.combinations(term), self.design.start(self.mains, term)
        known = alike(self.additive, start, len(cells))
        if len(known) < 2:
            return f"{term[0]} cannot be told from {self._partners(term)} in these runs"
        contrasts = np.zeros((len(known), self.additive.X.shape[1]))
        contrasts[:, [start + level for level in known]] = centring(len(known))
        without = self.design.basis([one for one in self.mains if one != term])
        return Told.of([cells[level] for level in known], contrasts, self.additive, without)

    def _pair(self, pair: Term) -> Told | str:
        why = self._why_not(pair)
        if why is not None or self.full is None:
            return why or ""
        a, b = (len(self.design.levels[key]) for key in pair)
        start = self.design.start(self.both, pair)
        contrasts = np.zeros((a * b, self.full.X.shape[1]))
        contrasts[:, start : start + a * b] = np.kron(centring(a), centring(b))
        without = self.design.basis([one for one in self.both if one != pair])
        return Told.of(self.design.combinations(pair), contrasts, self.full, without)

    def _effect(self, term: Term, y: np.ndarray, judge: Model) -> Effect:
        told = self._told[term]
        points = {cell: tuple(y[runs].tolist()) for cell, runs in self._of[term].items()}
        if isinstance(told, str):
            return Effect(term, {}, points, 0.0, Missing(told), Missing(told))
        left = self.design.n - judge.rank
        error = Error(judge.unexplained(y) / left, left) if left > 0 else None
        means = told.weights @ y
        changes = {
            cell: _interval(float(mean), float(each), error, len(points[cell]))
            for cell, mean, each in zip(told.cells, means, told.spread, strict=True)
        }
        gained = max(squares_left(told.without, y) - told.model.unexplained(y), 0.0)
        df = told.model.rank - told.without.shape[1]
        total = float(((y - y.mean()) ** 2).sum())
        share = gained / total if total else Missing("every run has the same value")
        gap = _gap(told, means, error, points) if len(term) == 1 else None
        return Effect(term, changes, points, float(np.ptp(means)), _p_value(gained, df, error), share, gap)

    def _points_of(self, term: Term) -> dict[tuple[Any, ...], list[int]]:
        """Which runs are at each combination of levels."""
        points: dict[tuple[Any, ...], list[int]] = {cell: [] for cell in self.design.combinations(term)}
        for number, cell in enumerate(self.design.cells(term)):
            points[cell].append(number)
        return points

    def _why_not(self, pair: Term) -> str | None:
        """Why an interaction cannot be told; None where it can."""
        said = " x ".join(pair)
        if self.full is None:
            return "there are too many combinations of levels to look at interactions"
        if not self.design.is_whole(pair):
            return f"not every combination of {' and '.join(pair)} was run"
        full = math.prod(len(self.design.levels[key]) - 1 for key in pair)
        if self.design.rank([*self.mains, pair]) - self.additive.rank < full:
            return f"{said} cannot be told from main effects in these runs"
        if self.full.rank - self.design.rank([one for one in self.both if one != pair]) == full:
            return None
        partners = [other for other in self.pairs if other != pair and self._meets(pair, other)]
        named = ", ".join(" x ".join(other) for other in partners[:3]) + (", ..." if len(partners) > 3 else "")
        return f"{said} cannot be told from {named or 'the other interactions together'} in these runs"

    def _meets(self, pair: Term, other: Term) -> bool:
        """Whether two interactions share a direction, beyond main effects."""
        ours, theirs = self.design.rank([*self.mains, pair]), self.design.rank([*self.mains, other])
        return self.design.rank([*self.mains, pair, other]) < ours + theirs - self.additive.rank

    def _partners(self, term: Term) -> str:
        """The axes without which this one could be told."""
        if self.additive.X.shape[1] > MOST_COLUMNS:  # so many levels that nobody looks for a single culprit
            return "the other axes together"
        found = []
        for other in self.mains:
            rest = [one for one in self.mains if one != other]
            if other != term:
                model = Model(self.design.matrix(rest))
                if len(alike(model, self.design.start(rest, term), len(self.design.levels[term[0]]))) > 1:
                    found.append(other[0])
        return " and ".join(found) or "the other axes together"


def find_effects(arms: Sequence[Arm], axes: Sequence[Axis], metric: str) -> tuple[tuple[Effect, ...], list[str]]:
    """Main effects, the largest span first, then interactions likewise, over the arms' runs; and notes on them."""
    runs = [run for arm in arms for run in arm.runs]
    shown = [axis for axis in axes if arms and axis.key in arms[0].levels]
    if not shown or len(runs) < 2:
        return (), []
    columns = {axis.key: [arm.levels[axis.key] for arm in arms for _ in arm.runs] for axis in shown}
    seeds = [frozenset(map(replicate, arm.runs)) for arm in arms]
    whole = len(set(seeds)) == 1 and len(seeds[0]) > 1 and len(arms) > 1
    found = Effects(_ordered(Design(columns, [replicate(run) for run in runs] if whole else None), shown))
    y = np.array([value_of(run, metric) for run in runs])
    mains = sorted((found.main(axis.key, y) for axis in shown), key=lambda one: -one.span)
    pairs = sorted((found.pair(pair, y) for pair in found.pairs), key=lambda one: -one.span)
    return (*mains, *pairs), _notes(found, shown)


def _ordered(design: Design, axes: Sequence[Axis]) -> Design:
    """Levels in the order of their axis, not of the runs."""
    design.levels = {axis.key: [level for level in axis.levels if level in design.levels[axis.key]] for axis in axes}
    return design


def _notes(found: Effects, axes: Sequence[Axis]) -> list[str]:
    notes = []
    for axis in axes:
        left = found.left_out(axis.key)
        if left:
            said = ", ".join(str(level) for level in left)
            notes.append(
                f"The effect of {axis.label} leaves out {said}: run with nothing else alike, it cannot be told."
            )
    lost = found.untold()
    if lost and len(axes) > 1:
        notes.append(
            "Main effects are read as if axes that could not be crossed did not act together; "
            f"{len(lost)} of {len(found.pairs)} interactions cannot be told in these runs."
        )
    if found.judge is found.additive and found.pairs:
        notes.append("Too few runs for the error beside interactions: what axes do together counts as noise here.")
    return notes


def _gap(told: Told, means: np.ndarray, error: Error | None, points: Mapping[tuple[Any, ...], Sized]) -> Interval:
    """From the lowest level to the highest."""
    low, high = int(means.argmin()), int(means.argmax())
    spread = float(np.linalg.norm(told.weights[high] - told.weights[low]))
    n = min(len(points[told.cells[low]]), len(points[told.cells[high]]))
    return _interval(float(means[high] - means[low]), spread, error, n, picked_from=math.comb(len(means), 2))


def _interval(mean: float, spread: float, error: Error | None, n: int, picked_from: int = 1) -> Interval:
    if error is None:
        return Interval(mean, Missing(NO_RUNS_LEFT), Missing(NO_RUNS_LEFT), n, Missing(NO_RUNS_LEFT))
    sd = math.sqrt(error.variance)
    half = spread * sd * float(stdtrit(error.df, 1 - 0.025 / picked_from))
    return Interval(mean, mean - half, mean + half, n, sd)


def _p_value(gained: float, df: int, error: Error | None) -> float | Missing:
    if error is None:
        return Missing(NO_RUNS_LEFT)
    if error.variance == 0:
        return 0.0 if gained else 1.0
    return float(fdtrc(df, error.df, gained / df / error.variance))
