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


def measure_partition_isotropy(
    vectors: Vectors, *, scaled: bool = True, directions: np.ndarray | None = None
) -> float | Missing:
    """I(W) of (V, d) in [0, 1], by sums of logarithms, so that long rows do not overflow.

    `scaled` divides by the mean row norm; without it the rows count as they are, as the paper writes it. `directions`
    (d, d): the eigenvectors as columns, where they are known.
    """
    largest = measure_largest(vectors)
    if largest == 0:
        return Missing("every row is zero: each direction holds the same")
    scale = float(measure_norms(vectors).mean()) if scaled else 1.0
    if directions is None:
        directions = np.linalg.eigh(find_gram(vectors, mean=np.zeros(vectors.shape[1]), largest=largest))[1]
    d = directions.shape[1]
    top, total = np.full(2 * d, -np.inf), np.zeros(2 * d)
    for block in blocks(vectors):
        block /= scale
        along = np.matmul(block, directions)
        highest = np.maximum(top, np.concatenate([along.max(axis=0), -along.min(axis=0)]))
        total *= np.exp(top - highest)
        total[:d] += np.exp(np.subtract(along, highest[:d], out=block), out=block).sum(axis=0)
        np.negative(along, out=along)
        along -= highest[d:]
        total[d:] += np.exp(along, out=along).sum(axis=0)
        top = highest
    logs = top + np.log(total)
    return float(np.exp(logs.min() - logs.max()))
