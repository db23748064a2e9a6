"""Partition isotropy I(W): is the soft count of rows the same in every direction?

I = min F(c) / max F(c) with F(c) = sum over rows of exp(c . row), c over the eigenvectors of W^T W and their negatives:
an eigenvector's sign is an accident of the solver. 1 = isotropic, near 0 = rows lean one way. F is not scale-free
(shrink the rows and I goes to 1), so rows are divided by their mean norm. Mu & Viswanath, ICLR 2018.
"""

from __future__ import annotations

import numpy as np

from rowspace.geometry.rows import Vectors, blocks, measure_largest, measure_norms
from rowspace.geometry.spectrum import find_gram
from rowspace.table import Missing

SHORT = 300.0
"""Length, in mean lengths, up to which exp(row . c) and its inverse are far from what float64 can hold."""
SHORTER = 16.0
"""The same for float32, where an error of 1e-7 in the exponent is one of 2e-6 at most in what it gives."""


def measure_partition_isotropy(
    vectors: Vectors,
    *,
    scaled: bool = True,
    directions: np.ndarray | None = None,
    norms: np.ndarray | None = None,
    single: bool = False,
) -> float | Missing:
    """I(W) of (V, d) in [0, 1], by sums of logarithms where long rows would overflow.

    `scaled` divides by the mean row norm; without it the rows count as they are, as the paper writes it. `directions`
    (d, d): the eigenvectors as columns, and `norms` (V,), where they are known. `single`: exponentials in float32 where
    no row is long, which leaves six digits; sums are float64.
    """
    norms = measure_norms(vectors) if norms is None else norms
    if not norms.any():
        return Missing("every row is zero: each direction holds the same")
    scale = float(norms.mean()) if scaled else 1.0
    if directions is None:
        largest = measure_largest(vectors)
        directions = np.linalg.eigh(find_gram(vectors, mean=np.zeros(vectors.shape[1]), largest=largest))[1]
    directions = np.ascontiguousarray(directions) / scale
    longest = float(norms.max()) / scale
    if longest < SHORT:
        logs = _plain_logs(vectors, directions.astype(np.float32) if single and longest < SHORTER else directions)
    else:
        logs = _shifted_logs(vectors, directions)
    return float(np.exp(logs.min() - logs.max()))


def _plain_logs(vectors: Vectors, directions: np.ndarray) -> np.ndarray:
    """log F(c) over the directions and their negatives, (2 d,), where no exponential overflows; in their precision."""
    d = directions.shape[1]
    total = np.zeros(2 * d)
    for block in blocks(vectors):
        along = np.matmul(block.astype(directions.dtype, copy=False), directions)
        total[:d] += np.exp(along, out=along).sum(axis=0, dtype=np.float64)
        total[d:] += np.reciprocal(along, out=along).sum(axis=0, dtype=np.float64)
    return np.log(total)


def _shifted_logs(vectors: Vectors, directions: np.ndarray) -> np.ndarray:
    """The same for rows of any length: sums of logarithms."""
    d = directions.shape[1]
    top, total = np.full(2 * d, -np.inf), np.zeros(2 * d)
    for block in blocks(vectors):
        along = np.matmul(block, directions)
        highest = np.maximum(top, np.concatenate([along.max(axis=0), -along.min(axis=0)]))
        total *= np.exp(top - highest)
        total[:d] += np.exp(np.subtract(along, highest[:d], out=block), out=block).sum(axis=0)
        np.negative(along, out=along)
        along -= highest[d:]
        total[d:] += np.exp(along, out=along).sum(axis=0)
        top = highest
    return top + np.log(total)
