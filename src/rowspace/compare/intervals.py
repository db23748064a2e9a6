"""t intervals over seeds, differences of two arms, and verdicts over many of them.

One arm minus another is taken over the pairs' differences where runs pair, else it is Welch's with Satterthwaite's
degrees of freedom (Welch 1947). "The same" is two one-sided tests read off the 95 % interval (Schuirmann 1987), which
is stricter than the usual 90 %. Many verdicts are held together by Holm's step-down (Holm 1979). Knows nothing of runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from rowspace.compare.base import Interval
from rowspace.table import Missing

LEVEL = 0.05
FEW = "one seed has no spread: an interval needs two or more"


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error on `df` degrees of freedom, from `n` seeds or pairs of them."""

    mean: float
    error: float
    df: float
    n: int
    sd: float | Missing

    @property
    def interval(self) -> Interval:
        """With 95 % t limits."""
        half = self.error * float(stdtrit(self.df, 1 - LEVEL / 2)) if self.error else 0.0
        return Interval(self.mean, self.mean - half, self.mean + half, self.n, self.sd)

    @property
    def p_zero(self) -> float:
        """Two-sided p-value of zero."""
        return min(1.0, 2 * self._tail(-abs(self.mean)))

    def p_beyond(self, margin: float) -> float:
        """p-value of lying beyond +-margin: the larger of the two one-sided ones."""
        return self._tail(abs(self.mean) - margin)

    def _tail(self, distance: float) -> float:
        """Probability of so low a value of t: distance / error."""
        if not self.error:
            return 0.0 if distance < 0 else 1.0
        return float(stdtr(self.df, distance / self.error))


def interval(values: Sequence[float]) -> Interval:
    """Mean with its 95 % t interval; Missing limits where there is one value."""
    found = estimate(values)
    if found is None:
        return Interval(float(values[0]), Missing(FEW), Missing(FEW), 1, Missing(FEW))
    return found.interval


def estimate(values: Sequence[float]) -> Estimate | None:
    """Mean and standard error of independent values; None for fewer than two."""
    n = len(values)
    if n < 2:
        return None
    mean, variance = _moments(values)
    return Estimate(mean, math.sqrt(variance / n), n - 1, n, math.sqrt(variance))


def paired(ours: Sequence[float], theirs: Sequence[float]) -> Estimate | None:
    """Mean of the pairs' differences, ours less theirs; None for fewer than two pairs."""
    return estimate([a - b for a, b in zip(ours, theirs, strict=True)])


def welch(ours: Sequence[float], theirs: Sequence[float]) -> Estimate | None:
    """Difference of the means of independent values, ours less theirs; None where either has fewer than two."""
    n, m = len(ours), len(theirs)
    if min(n, m) < 2:
        return None
    (mean, variance), (other, of_other) = _moments(ours), _moments(theirs)
    a, b = variance / n, of_other / m
    df = (a + b) ** 2 / (a * a / (n - 1) + b * b / (m - 1)) if a + b else float(n + m - 2)
    return Estimate(mean - other, math.sqrt(a + b), df, min(n, m), Missing("the seeds do not pair"))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values: at or below 5 % together, whichever of the hypotheses hold."""
    order = np.argsort(np.asarray(p_values, dtype=float), kind="stable")
    stepped = np.asarray(p_values, dtype=float)[order] * np.arange(len(order), 0, -1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted.tolist()


def _moments(values: Sequence[float]) -> tuple[float, float]:
    """Mean and unbiased variance. Values that are all the same have none, whatever rounding says."""
    if min(values) == max(values):
        return float(values[0]), 0.0
    mean = math.fsum(values) / len(values)
    return mean, math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
