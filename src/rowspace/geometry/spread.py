"""What random tables have of a number: their mean, their spread, and where a further one would fall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from rowspace.table import Missing

Number = float | Missing
OUTSIDE = 0.001
"""Share of random tables that lie above the interval, and as many below."""


@dataclass(frozen=True, eq=False)
class Spread:
    """What random tables have: mean and standard deviation of the draws, and the interval that a further draw falls
    into 998 times of 1000 (Student's, wide where draws are few)."""

    mean: Number
    sd: Number
    low: Number
    high: Number


def find_spread(values: Sequence[Number]) -> Spread:
    """Mean, standard deviation and interval of what draws gave; reasons where too few of them are numbers."""
    known = [value for value in values if not isinstance(value, Missing)]
    reason = next((value for value in values if isinstance(value, Missing)), Missing("no random table was drawn"))
    if not known:
        return Spread(reason, reason, reason, reason)
    mean = float(np.mean(known))
    if len(known) < 2:
        few = Missing("one random table has no spread")
        return Spread(mean, few, few, few)
    sd = float(np.std(known, ddof=1))
    half = float(stdtrit(len(known) - 1, 1 - OUTSIDE)) * sd * float(np.sqrt(1 + 1 / len(known)))
    return Spread(mean, sd, mean - half, mean + half)
