"""Rogue coordinates: does the mean cosine come from one or two of the d columns?

The mean cosine over all pairs (a row with itself too) is ||mean unit row||^2, a sum over coordinates; the share of the
largest few says whether a handful of columns make the whole cone. It depends on the basis: a rotation of the table,
which changes no distance, changes it. Chance is not 1 / d but what random rows have. Timkey & van Schijndel 2021.
"""

from __future__ import annotations

import numpy as np

from rowspace.geometry.rows import Vectors, blocks, measure_largest
from rowspace.table import Missing

ROGUE = (1, 2, 3)
"""How many of the largest coordinates are added up."""


def measure_rogue_shares(vectors: Vectors) -> dict[int, float | Missing]:
    """n -> share of ||mean unit row||^2 that its n largest coordinates carry, in (0, 1], for n of ROGUE."""
    d, largest = vectors.shape[1], measure_largest(vectors)
    total = np.zeros(d)
    for block in blocks(vectors) if largest > 0 else ():
        block /= largest
        norms = np.sqrt(np.einsum("vd,vd->v", block, block))
        total += np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0) @ block
    return rogue_shares_of(total)


def rogue_shares_of(directions: np.ndarray) -> dict[int, float | Missing]:
    """The same from the sum of the unit rows (d,)."""
    parts = np.sort(directions**2)[::-1]
    whole = float(parts.sum())
    nothing = Missing("the unit rows add up to nothing: there is no mean cosine to share")
    return {n: float(parts[:n].sum() / whole) if whole > 0 else nothing for n in ROGUE}
