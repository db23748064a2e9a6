"""How many scores may leave their intervals by luck, where nothing is planted.

An interval holds what chance gives 998 times of 1000, so of many scores some lie outside, half of them above. Scores of
one probe on one table share their luck and count as one draw that fails as often as all of them together, at most;
draws are taken to be independent. So many may fail as 999 suites of 1000 would show with probes that keep their word.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

OUTSIDE = 0.002
"""How often a score that chance made lies outside of its interval."""
LEARNED = 0.001
"""How often it lies on the side that is called learned."""
TWICE = 2
"""Times that one score may not be called learned: of its 18 controls that happens once in 6,600 suites."""

WITHIN = 3.09
"""Standard deviations of a normal law that the half of an interval is."""
UNLIKELY = 0.9999
"""Of sums of squared deviations of one score over its controls that luck alone would give."""


def allowed(scores: Iterable[int], each: float) -> int:
    """Draws that may fail; `scores` of each draw, each of which fails with probability `each`."""
    law = np.ones(1)
    for n in scores:
        fails = min(1.0, n * each)
        law = np.convolve(law, [1 - fails, fails])
    return int(np.searchsorted(np.cumsum(law), 0.999))
