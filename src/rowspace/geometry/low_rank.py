"""How well do few directions stand for a matrix? Its spectrum, and what the best approximation of each rank loses.

The best in least squares keeps the leading singular directions, and loses the root of the sum of the squares of the
others (Eckart & Young 1936). Beside it stands a matrix of the same occurrences, dealt to documents at random: whatever
it has was never in the documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse


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
    """A matrix (V, D) of whole numbers with the same sums of rows and of columns, float64: every occurrence stands in
    the document of another one, at random. O(occurrences). Tokens keep how often they occur and documents how long they
    are; which tokens meet is chance."""
    found = counts.tocoo()
    times = found.data.astype(np.int64)
    rows, columns = np.repeat(found.row, times), np.repeat(found.col, times)
    columns = np.random.default_rng(seed).permutation(columns)
    return sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=counts.shape).tocsr()
