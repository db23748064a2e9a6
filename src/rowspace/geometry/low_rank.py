"""How well do few directions stand for a matrix? Its spectrum, and what the best approximation of each rank loses.

The best in least squares keeps the leading singular directions, and loses the root of the sum of the squares of the
others (Eckart & Young 1936). Beside it stands a matrix with the same counts, dealt to documents at random: whatever it
has was never in the documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

FREQUENT = 50
"""A token that stands in one column of so many is dealt among all of them at once."""


def find_low_rank(spectrum: Sequence[float], frobenius: float) -> list[dict[str, Any]]:
    """For each rank k that the leading singular values tell: k, sigma (the k-th), share (sigma over the norm of the
    matrix, `frobenius`), error (share of that norm that is lost with k directions), in float64. A ValueError where the
    norm is less than they are.
    """
    sigma = np.asarray(spectrum, dtype=np.float64)
    kept = np.cumsum(sigma**2)
    if frobenius <= 0 or (len(kept) and kept[-1] > frobenius**2 * (1 + 1e-6)):
        raise ValueError(f"a norm of {frobenius:g} is not that of a matrix with these {len(sigma)} singular values")
    lost = np.sqrt(np.maximum(1.0 - kept / frobenius**2, 0.0))
    return [
        {"k": k, "sigma": float(value), "share": float(value / frobenius), "error": float(error)}
        for k, (value, error) in enumerate(zip(sigma, lost, strict=True), start=1)
    ]


def deal(counts: sparse.csr_array, *, seed: int) -> sparse.csr_array:
    """A matrix (V, D) whose rows have the same entries, in other columns at random, the heavier columns more often.

    Tokens keep how often they occur and in how many documents, documents about how long they are; which tokens meet
    is chance. O(entries), and D a token that more than one column in FREQUENT has.
    """
    generator = np.random.default_rng(seed)
    V, D = (int(n) for n in counts.shape or ())
    weights = np.bincount(counts.indices, np.abs(counts.data), minlength=D)
    if not weights.sum() > 0:
        return counts.copy()
    ends = np.cumsum(weights) / weights.sum()
    columns = np.empty(counts.nnz, dtype=counts.indices.dtype)
    starts = np.asarray(counts.indptr)
    for row in range(V):
        start, end = starts[row : row + 2].tolist()
        n = end - start
        columns[start:end] = generator.permutation(
            _without_return(weights, n, generator) if n * FREQUENT > len(weights) else _drawn(ends, n, generator)
        )
    dealt = sparse.csr_array((counts.data.astype(np.float64), columns, starts.copy()), shape=(V, D))
    dealt.sort_indices()
    return dealt


def _drawn(ends: np.ndarray, n: int, generator: np.random.Generator) -> np.ndarray:
    """n different columns, few of many: those that come twice are drawn again."""
    found = np.zeros(0, dtype=np.int64)
    while len(found) < n:
        more = np.searchsorted(ends, generator.random(n - len(found)), side="right")
        found = np.unique(np.concatenate([found, np.minimum(more, len(ends) - 1)]))
    return found


def _without_return(weights: np.ndarray, n: int, generator: np.random.Generator) -> np.ndarray:
    """n different columns, many of few (Efraimidis & Spirakis 2006); columns without weight come last."""
    with np.errstate(divide="ignore"):
        keys = np.log(generator.random(len(weights))) / weights
    return np.argpartition(-keys, n - 1)[:n] if n else np.zeros(0, dtype=np.int64)
