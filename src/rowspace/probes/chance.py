"""What a table that knows nothing of meaning would score: its rows dealt anew among tokens of the same frequency.

Frequent tokens lie near frequent tokens in most trained tables, and the words that people ask for are frequent. A null
of random rows would call that knowledge. So rows change places within their tenth of the vocabulary only; without
counts, within the whole vocabulary.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rowspace.geometry.frequency import find_deciles
from rowspace.table import Missing, TokenTable

TAIL = 0.001
"""Share of a null that lies on each side of its interval."""
Z = 3.0902323
"""The same in standard deviations of a normal law."""


@dataclass(frozen=True)
class Null:
    """What chance gives, and where it falls 998 times of 1000."""

    chance: float
    low: float
    high: float


def find_groups(table: TokenTable) -> np.ndarray:
    """Tokens whose rows may change places share a number: (V,) int8, the tenth by frequency (0 never seen)."""
    deciles = find_deciles(table)
    return np.zeros(table.V, dtype=np.int8) if isinstance(deciles, Missing) else deciles


def measure_matches(
    found: Sequence[int] | np.ndarray,
    wanted: Sequence[int] | np.ndarray,
    groups: np.ndarray,
    among: Sequence[float] | np.ndarray,
) -> Null:
    """Share of questions whose found id is the wanted one, were the wanted tokens dealt anew: exact.

    A token that is wanted by several questions moves with all of them, so questions are not independent and neither is
    this null: the counts of each token are convolved. `groups` (V,) as above, `among` (Q,) one in how many
    tokens of its group would be right for each question; negative ids were not found.
    """
    hits: dict[int, Counter[int]] = defaultdict(Counter)
    least: dict[int, float] = {}
    for answer, right, of in zip(*(np.asarray(one).tolist() for one in (found, wanted, among)), strict=True):
        least[right] = min(of, least.get(right, of))
        if answer >= 0 and groups[answer] == groups[right]:
            hits[right][answer] += 1
    law = np.ones(1)
    for right, counted in hits.items():
        n = max(least[right], len(counted))
        one = np.bincount(list(counted.values())).astype(np.float64) / n
        one[0] = 1 - len(counted) / n
        law = _convolved(law, one)
    if not len(found):
        return Null(0.0, 0.0, 0.0)
    total = np.cumsum(law)
    low, high = int(np.searchsorted(total, TAIL)), int(np.searchsorted(total, 1 - TAIL))
    mean = float(np.arange(len(law)) @ law)
    return Null(mean / len(found), low / len(found), high / len(found))


def measure_gain(gains: Sequence[float], clusters: Iterable[Hashable]) -> Null:
    """Mean of `gains` (n,) were the sign of each cluster's sum a coin's: 0, and 3.09 standard deviations about it."""
    sums: dict[Hashable, float] = defaultdict(float)
    for gain, cluster in zip(gains, clusters, strict=True):
        sums[cluster] += gain
    half = Z * float(np.sqrt(sum(total**2 for total in sums.values()))) / max(len(gains), 1)
    return Null(0.0, 0.0 - half, half)


def from_draws(draws: np.ndarray, least: float, most: float) -> Null:
    """The null of a mean from simulated ones (n,): mean and 3.09 standard deviations, within what is possible."""
    mean, half = float(np.mean(draws)), Z * float(np.std(draws))
    return Null(mean, max(mean - half, least), min(mean + half, most))


def _convolved(law: np.ndarray, one: np.ndarray) -> np.ndarray:
    """The law of a sum; `one` is zero nearly everywhere. What is rarer than 1e-12 at the end is left out."""
    summed = np.zeros(len(law) + len(one) - 1)
    for hits in np.flatnonzero(one):
        summed[hits : hits + len(law)] += one[hits] * law
    beyond = np.cumsum(summed[::-1])[::-1]
    return summed[: max(1, int(np.count_nonzero(beyond > 1e-12)))]
