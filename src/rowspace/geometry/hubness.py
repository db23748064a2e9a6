"""Hubs: rows that are near neighbours of very many others, whatever the others mean.

N_k of a row counts the rows that have it among their k nearest. Its skewness is called hubness: above about 1.4 a
table is usually called hubby. The Robin Hood index is the share of all places that would have to be taken from the
rich rows and given to the poor for everyone to have the same. Radovanovic et al., JMLR 2010.
With a sample of q rows that ask, N_k has mean q k / V and both numbers grow: compare equal q only.
"""

from __future__ import annotations

import numpy as np

from rowspace.table import Missing


def count_occurrences(ids: np.ndarray, V: int) -> np.ndarray:
    """N_k of every row, (V,) int64, from the nearest ids of the rows that asked, (q, k); -1 is no neighbour."""
    return np.bincount(ids[ids >= 0].ravel(), minlength=V).astype(np.int64)


def measure_hubness(occurrences: np.ndarray) -> float | Missing:
    """Skewness of N_k (V,), with moments of the population (1 / n); chance is what random rows have, not 0."""
    around = occurrences - occurrences.mean() if len(occurrences) else np.zeros(0)
    spread = float(np.sqrt((around**2).mean())) if len(around) else 0.0
    if spread == 0:
        return Missing("every row is a neighbour equally often: there is no skewness")
    return float(((around / spread) ** 3).mean())


def measure_robin_hood(occurrences: np.ndarray) -> float | Missing:
    """sum |N_k - mean| / (2 sum N_k), in [0, 1): 0 = all rows are neighbours equally often."""
    total = float(occurrences.sum())
    if total == 0:
        return Missing("no row has a neighbour")
    return float(np.abs(occurrences - total / len(occurrences)).sum() / (2 * total))
