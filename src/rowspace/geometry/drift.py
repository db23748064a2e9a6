"""How far a table moved from where it began: direction and length, row by row.

Decay alone keeps the cosine at 1 and shrinks the norm, so a cosine and a relative distance stand side by side.
"""

from __future__ import annotations

import numpy as np

from rowspace.geometry.rows import BLOCK, Vectors
from rowspace.table import Missing


def find_row_cosines(first: Vectors, now: Vectors) -> tuple[np.ndarray, np.ndarray]:
    """Cosine of each row with itself at the start, (V,) float64, and whether both have a direction, (V,) bool.

    Rows without a direction at either end have the cosine 0 and are False.
    """
    if first.shape != now.shape:
        raise ValueError(f"a table of shape {now.shape} cannot have drifted from one of shape {first.shape}")
    cosines, known = np.zeros(len(now)), np.zeros(len(now), dtype=bool)
    for start in range(0, len(now), BLOCK):
        a, b = (side[start : start + BLOCK].astype(np.float64) for side in (first, now))
        scale = np.sqrt(np.einsum("vd,vd->v", a, a) * np.einsum("vd,vd->v", b, b))
        rows = slice(start, start + len(a))
        known[rows] = scale > 0
        np.divide(np.einsum("vd,vd->v", a, b), scale, out=cosines[rows], where=scale > 0)
    return np.clip(cosines, -1.0, 1.0), known


def measure_drift_cosine(first: Vectors, now: Vectors) -> float | Missing:
    """Mean row cosine with the start, in [-1, 1]: 1 = no row turned, 0 = the start is forgotten."""
    cosines, known = find_row_cosines(first, now)
    return float(cosines[known].mean()) if known.any() else Missing("every row is zero at the start or now")


def measure_drift_relative(first: Vectors, now: Vectors) -> float | Missing:
    """||now - first||_F / ||first||_F: 0 = nothing moved."""
    moved = began = 0.0
    for start in range(0, len(now), BLOCK):
        a, b = (side[start : start + BLOCK].astype(np.float64) for side in (first, now))
        moved += float(((b - a) ** 2).sum())
        began += float((a**2).sum())
    return float(np.sqrt(moved / began)) if began > 0 else Missing("the table began at zero")
