"""What a matrix loses when it is held by few directions: those of its SVD, or some of its own rows."""

from __future__ import annotations

import numpy as np

from rowspace.ladder.counting import Counts
from rowspace.ladder.decomposition import find_directions


def measure_low_rank(matrix: Counts, k: int, *, seed: int) -> tuple[float, float]:
    """Share of the norm (Frobenius) that is lost by k directions of the SVD, and by the best fit from the k rows that
    hold most. Both are of rank k, and the first is the least that any such matrix loses."""
    found, dense = find_directions(matrix, k, seed=seed, key="k"), matrix.toarray()
    largest = np.argsort(-np.abs(dense).sum(axis=1))[:k]
    basis = np.linalg.qr(dense[largest].T)[0]
    fits = (found.left * found.singular) @ found.right.T, dense @ basis @ basis.T
    lost = [np.linalg.norm(dense - fit) for fit in fits]
    return float(lost[0] / found.norm), float(lost[1] / found.norm)
