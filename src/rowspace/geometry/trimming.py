"""All-but-the-top: the mean row and the few strongest directions taken away, and what is left.

What rows share (a shift, and directions that follow frequency) drowns what tells them apart: subtract the mean, then
the first D principal directions of the centred table, D about d / 100. Rows are not normalised again.
Mu & Viswanath, ICLR 2018, arXiv 1702.01417.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowspace.geometry.direction import mean_cosine_of, measure_mean_cosine
from rowspace.geometry.readings import find_tiny
from rowspace.geometry.rows import Vectors, blocks, spans
from rowspace.geometry.spectrum import find_axes
from rowspace.table import Missing


def find_depth(d: int) -> int:
    """D, the directions to take away of d: d / 100, at least one where there is more than one."""
    return 0 if d < 2 else max(1, round(d / 100))


@dataclass(frozen=True, eq=False)
class Top:
    """The mean row (d,) and the D strongest directions of the centred rows, orthonormal columns (d, D)."""

    mean: np.ndarray
    directions: np.ndarray


def find_top(vectors: Vectors, *, depth: int) -> Top:
    """What all-but-the-top takes away from (V, d)."""
    axes = find_axes(vectors, centred=True)
    return Top(axes.mean, axes.directions[:, :depth])


class Trimmed:
    """Rows (V, d) less their mean and top directions, float64, made when they are asked for."""

    def __init__(self, vectors: Vectors, top: Top) -> None:
        self._vectors = vectors
        self._mean = top.mean
        self._down = np.ascontiguousarray(top.directions)
        self._up = np.ascontiguousarray(top.directions.T)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._vectors.shape

    def __len__(self) -> int:
        return len(self._vectors)

    def __getitem__(self, key: slice | np.ndarray, /) -> np.ndarray:
        rows = self._vectors[key].astype(np.float64)
        rows -= self._mean
        rows -= (rows @ self._down) @ self._up
        return rows


def measure_trimmed_cosine(trimmed: Trimmed, *, largest: float) -> float | Missing:
    """Mean cosine of all pairs of trimmed rows, whose mean is zero; `largest` absolute value of the table.

    In one reading, unless a row is so short that it may be what rounding left.
    """
    d = trimmed.shape[1]
    directions, tiny = np.zeros(d), 2 * np.sqrt(d) * find_tiny(d)
    for block in blocks(trimmed):
        block /= largest
        lengths = np.sqrt(np.einsum("vd,vd->v", block, block))
        if not lengths.min(initial=np.inf) > tiny:
            return measure_mean_cosine(trimmed, centred=True)
        directions += (1 / lengths) @ block
    return mean_cosine_of(directions, len(trimmed))


def remove_top(vectors: Vectors, *, depth: int) -> np.ndarray:
    """(V, d) -> (V, d) float64 without its mean and its `depth` strongest directions."""
    trimmed, out = Trimmed(vectors, find_top(vectors, depth=depth)), np.empty(vectors.shape)
    for rows, block in spans(trimmed):
        out[rows] = block
    return out
