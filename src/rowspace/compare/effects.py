"""Main effects and two-way interactions of the axes by least squares, for a whole grid, a fraction or a torn one.

A main effect is each level's mean with the other axes held equal (type II: beyond the other main effects); an
interaction is beyond all main effects and the other interactions. What cannot be told from something else is named and
has no numbers. The error is what the model with all two-way interactions leaves, where it leaves three degrees of
freedom or more, else what main effects leave, which is larger. Seeds are blocks where every arm has the same ones.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
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


class Effects:
    """The effects that a design can tell; values are handed in last, so that one design serves many."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.mains = design.mains
        self.additive = Model(design.matrix(self.mains))
        pairs = list(itertools.combinations(design.levels, 2))
        self.pairs: list[Term] = [tuple(pair) for pair in pairs]
        columns = sum(len(design.combinations(pair)) for pair in self.pairs)
        self.full = Model(design.matrix(self.both)) if self.pairs and columns <= MOST_COLUMNS else None
        left = design.n - self.full.rank if self.full is not None else 0
        self.judge = self.full if self.full is not None and left >= LEAST_LEFT else self.additive
        self._without = {term: design.basis([one for one in self.mains if one != term]) for term in self.mains}
        self._known = {
            term: alike(self.additive, self._start(term), len(design.levels[term[0]])) for term in self.mains
        }
        self._aliased = {pair: self._why_not(pair) for pair in self.pairs}
        for pair in (pair for pair, why in self._aliased.items() if why is None):
            self._without[pair] = design.basis([one for one in self.both if one != pair])

    @property
    def both(self) -> list[Term]:
        return [*self.mains, *self.pairs]

    def _start(self, term: Term) -> int:
        return self.design.start(self.mains if len(term) == 1 else self.both, term)

    def error(self, y: np.ndarray) -> Error | None:
        """Of one run; None where the model takes up every run."""
        df = self.design.n - self.judge.rank
        return Error(self.judge.unexplained(y) / df, df) if df > 0 else None

    def main(self, key: str, y: np.ndarray) -> Effect:
        """What the levels of one axis do."""
        term: Term = (key,)
        known = self._known[term]
        if len(known) < 2:
            return self._none(term, y, f"{key} cannot be told from {self._partners(term)} in these runs")
        start = self._start(term)
        contrasts = np.zeros((len(known), self.additive.X.shape[1]))
        contrasts[:, [start + level for level in known]] = centring(len(known))
        cells = [self.design.combinations(term)[level] for level in known]
        return self._effect(term, cells, self.additive, contrasts, y, self.error(y))

    def pair(self, pair: Term, y: np.ndarray) -> Effect:
        """What two axes do together, beyond what each does."""
        why = self._aliased[pair]
        if why is not None:
            return self._none(pair, y, why)
        assert self.full is not None
        a, b = (len(self.design.levels[key]) for key in pair)
        contrasts = np.zeros((a * b, self.full.X.shape[1]))
        start = self._start(pair)
        contrasts[:, start : start + a * b] = np.kron(centring(a), centring(b))
        df = self.design.n - self.full.rank
        error = Error(self.full.unexplained(y) / df, df) if df > 0 else None
        return self._effect(pair, self.design.combinations(pair), self.full, contrasts, y, error)

    def left_out(self, key: str) -> list[Hashable]:
        """Levels of an axis whose effect cannot be told, where that of others can."""
        known = self._known[(key,)]
        if len(known) < 2:
            return []
        return [level for place, level in enumerate(self.design.levels[key]) if place not in known]

    def _effect(
        self, term: Term, cells: Sequence[Any], model: Model, contrasts: np.ndarray, y: np.ndarray, error: Error | None
    ) -> Effect:
        weights = model.weights(contrasts)
        means, spread = weights @ y, np.linalg.norm(weights, axis=1)
        points = self._points(term, y)
        changes = {
            cell: _interval(float(mean), float(each), error, len(points[cell]))
            for cell, mean, each in zip(cells, means, spread, strict=True)
        }
        gained = max(squares_left(self._without[term], y) - model.unexplained(y), 0.0)
        df = model.rank - self._without[term].shape[1]
        total = float(((y - y.mean()) ** 2).sum())
        share = gained / total if total else Missing("every run has the same value")
        return Effect(term, changes, points, float(np.ptp(means)), _p_value(gained, df, error), share)

    def _points(self, term: Term, y: np.ndarray) -> dict[tuple[Any, ...], tuple[float, ...]]:
        points: dict[tuple[Any, ...], list[float]] = {cell: [] for cell in self.design.combinations(term)}
        for cell, value in zip(self.design.cells(term), y, strict=True):
            points[cell].append(float(value))
        return {cell: tuple(values) for cell, values in points.items()}

    def _none(self, term: Term, y: np.ndarray, why: str) -> Effect:
        return Effect(term, {}, self._points(term, y), 0.0, Missing(why), Missing(why))

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
    lost = [pair for pair in found.pairs if found._aliased[pair] is not None]
    if lost and len(axes) > 1:
        notes.append(
            "Main effects are read as if axes that could not be crossed did not act together; "
            f"{len(lost)} of {len(found.pairs)} interactions cannot be told in these runs."
        )
    if found.judge is found.additive and found.pairs:
        notes.append("Too few runs for the error beside interactions: what axes do together counts as noise here.")
    return notes


def _interval(mean: float, spread: float, error: Error | None, n: int) -> Interval:
    if error is None:
        return Interval(mean, Missing(NO_RUNS_LEFT), Missing(NO_RUNS_LEFT), n, Missing(NO_RUNS_LEFT))
    sd = math.sqrt(error.variance)
    half = spread * sd * float(stdtrit(error.df, 0.975))
    return Interval(mean, mean - half, mean + half, n, sd)


def _p_value(gained: float, df: int, error: Error | None) -> float | Missing:
    if error is None:
        return Missing(NO_RUNS_LEFT)
    if error.variance == 0:
        return 0.0 if gained else 1.0
    return float(fdtrc(df, error.df, gained / df / error.variance))
