"""Do the rows point the same way? The mean cosine over all pairs, exactly, in closed form.

(||sum of unit rows||^2 - n) / (n (n - 1)): no pair is sampled and none is formed. Most anisotropy of a trained
table is one shared shift, so the centred form stands beside the raw one (Bis et al., NAACL 2021).
"""

from __future__ import annotations

import numpy as np

from rowspace.geometry.readings import Totals, find_tiny
from rowspace.geometry.rows import Vectors, blocks, measure_largest
from rowspace.geometry.spectrum import measure_mean_row
from rowspace.table import Missing


def measure_mean_cosine(vectors: Vectors, *, centred: bool) -> float | Missing:
    """Mean cosine over all ordered pairs i != j of rows of (V, d) that are not zero, in [-1 / (n - 1), 1].

    Rows that are zero (after centring: equal to the mean up to rounding) have no direction and are left out.
    """
    if not len(vectors):
        return _TOO_FEW
    mean = measure_mean_row(vectors) if centred else np.zeros(vectors.shape[1])
    largest = measure_largest(vectors)
    if largest == 0:
        return _TOO_FEW
    tiny = find_tiny(vectors.shape[1]) if centred else 0.0
    total, n = np.zeros(vectors.shape[1]), 0
    for block in blocks(vectors):
        block -= mean
        block /= largest
        norms = np.sqrt(np.einsum("vd,vd->v", block, block))
        kept = norms > tiny
        total += np.divide(1.0, norms, out=np.zeros_like(norms), where=kept) @ block
        n += int(kept.sum())
    return mean_cosine_of(total, n)


def mean_cosine_of(directions: np.ndarray, n: int) -> float | Missing:
    """The mean cosine over all pairs of `n` rows from the sum of their unit rows (d,)."""
    if n < 2:
        return _TOO_FEW
    return float(np.clip((directions @ directions - n) / (n * (n - 1)), -1.0, 1.0))


def measure_common_direction_share(vectors: Vectors) -> float | Missing:
    """||mean row||^2 / mean ||row||^2 of (V, d), in [0, 1]: the share of all energy that is one shared shift.

    1 / V for rows of unrelated directions and equal norms, 1 where every row is the same.
    """
    largest = measure_largest(vectors)
    if largest == 0:
        return _NO_ENERGY
    energy = sum(float(np.square(np.divide(block, largest, out=block), out=block).sum()) for block in blocks(vectors))
    return _share(measure_mean_row(vectors) / largest, energy / len(vectors))


def common_direction_share_of(totals: Totals) -> float | Missing:
    """The same from what was added up already."""
    if totals.largest == 0:
        return _NO_ENERGY
    return _share(totals.mean / totals.largest, float(np.square(totals.norms / totals.largest).mean()))


def _share(mean: np.ndarray, energy: float) -> float:
    return float(np.clip(mean @ mean / energy, 0.0, 1.0))


_NO_ENERGY = Missing("every row is zero: there is no energy to share")
_TOO_FEW = Missing("fewer than two rows have a direction")
