"""What many measures need of the same rows, added up in two readings of the table instead of one for each measure.

The first reading gives lengths, the mean row and the sum of the unit rows; the second, around the mean, the Gram matrix
and the sum of the unit rows there. The Gram matrix of the rows as they stand follows by adding V mean mean^T, which is
positive and loses nothing (subtracting it from the other would). Rows are float32: their squares are safe in float64.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowspace.geometry.rows import Vectors, spans


@dataclass(frozen=True, eq=False)
class Totals:
    """Of (V, d) rows as they stand: `largest` absolute value, `norms` (V,), `mean` row (d,), `directions` (d,) the sum
    of the unit rows of the `n` that are not zero."""

    largest: float
    norms: np.ndarray
    mean: np.ndarray
    directions: np.ndarray
    n: int


def find_totals(vectors: Vectors) -> Totals:
    """The first reading. The mean is added up around that of the first rows, so that rows all alike lose no digit."""
    V, d = vectors.shape
    norms, directions, apart = np.empty(V), np.zeros(d), np.zeros(d)
    largest, near = 0.0, np.zeros(d)
    for rows, block in spans(vectors):
        largest = max(largest, float(block.max(initial=0.0)), -float(block.min(initial=0.0)))
        norms[rows] = lengths = np.sqrt(np.einsum("vd,vd->v", block, block))
        directions += np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0) @ block
        if rows.start == 0:
            near = block[0] + (block - block[0]).mean(axis=0)
        block -= near
        apart += block.sum(axis=0)
    return Totals(largest, norms, near + apart / max(V, 1), directions, int(np.count_nonzero(norms)))


@dataclass(frozen=True, eq=False)
class Around:
    """Of the rows less their mean, in units of the largest value: `gram` (d, d), `norms` (V,), `directions` (d,) the
    sum of the unit rows of the `n` that differ from the mean by more than rounding."""

    gram: np.ndarray
    norms: np.ndarray
    directions: np.ndarray
    n: int


def read_around(vectors: Vectors, totals: Totals, *, single: bool = False) -> Around:
    """The second reading; the table is not all zero. `single`: blocks of the Gram matrix are multiplied in float32 and
    added up in float64, which leaves six digits of it."""
    V, d = vectors.shape
    gram, norms, directions, n = np.zeros((d, d)), np.empty(V), np.zeros(d), 0
    tiny = find_tiny(d)
    for rows, block in spans(vectors):
        block -= totals.mean
        block /= totals.largest
        norms[rows] = lengths = np.sqrt(np.einsum("vd,vd->v", block, block))
        kept = lengths > tiny
        directions += np.divide(1.0, lengths, out=np.zeros_like(lengths), where=kept) @ block
        n += int(np.count_nonzero(kept))
        block = block.astype(np.float32) if single else block
        gram += block.T @ block
    return Around(gram, norms, directions, n)


def find_tiny(d: int) -> float:
    """Length, in units of the largest value, below which a row of d numbers less its mean is what rounding left."""
    return 8 * float(np.finfo(np.float64).eps) * float(np.sqrt(d))
