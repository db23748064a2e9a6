"""Uniformity on the sphere: are directions spread out, or bunched?

log of the mean over pairs i < j of exp(-t ||u_i - u_j||^2), t = 2, u the unit rows: 0 = all rows point the same way,
about -4 + 8 / d for random directions, lower = more uniform. Pairs of a row with itself are left out, which matters
for few rows. Wang & Isola, ICML 2020.
"""

from __future__ import annotations

import numpy as np

from rowspace.geometry.rows import Vectors, unit_rows
from rowspace.table import Missing

SAMPLE = 4096
"""Rows above which a seeded sample of as many is taken: 8.4 million pairs."""
T = 2.0
PAIR_BLOCK = 128


def measure_uniformity(vectors: Vectors, *, seed: int, sample: int = SAMPLE) -> float | Missing:
    """Uniformity of (V, d), in [-8, 0]; rows that are zero have no direction and are left out."""
    units, norms = unit_rows(vectors[sample_rows(len(vectors), sample, seed)])
    rows = units[norms > 0].astype(np.float64)
    n = len(rows)
    if n < 2:
        return Missing("fewer than two rows have a direction")
    total = 0.0
    for start in range(0, n, PAIR_BLOCK):
        block = rows[start : start + PAIR_BLOCK]
        closeness = np.exp(2 * T * (np.clip(block @ rows[start:].T, -1.0, 1.0) - 1.0))
        total += np.triu(closeness[:, : len(block)], 1).sum() + closeness[:, len(block) :].sum()
    return float(np.log(total / (n * (n - 1) / 2)))


def sample_rows(n: int, most: int, seed: int) -> np.ndarray:
    """All of n row indices, or a seeded sample of `most` of them, ascending (m,) int64."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))
