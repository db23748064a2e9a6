"""Sparse matrices as narrow ones: exactly, with every inner product of rows kept, and by their leading directions.

X ~ U_k S_k V_k^T is the best matrix of rank k in least squares (Eckart & Young 1936). Signs of singular vectors are
free: here the entry of U that is largest in size is positive. Solvers are exact (LAPACK, ARPACK), none is randomized.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import get_lapack_funcs
from scipy.sparse.linalg import svds

from rowspace.errors import ConfigError
from rowspace.ladder.counting import Counts, find_lengths

BLOCK = 512
"""Rows that are copied at once."""
DENSE = 1 << 22
"""Entries up to which a matrix is decomposed as a dense one."""


@dataclass(frozen=True, eq=False)
class Isometry:
    """`vectors` (V, r) float32 with X X^T = vectors vectors^T; r is the `rank` of X as far as float64 can tell."""

    vectors: np.ndarray
    rank: int


@dataclass(frozen=True, eq=False)
class Directions:
    """U (m, k) `left`, S (k,) `singular` values, descending, and V (n, k) `right` with X ~ U diag(S) V^T, and the norm
    of X (Frobenius)."""

    left: np.ndarray
    singular: np.ndarray
    right: np.ndarray
    norm: float

    @property
    def errors(self) -> np.ndarray:
        """Frobenius norm of what is lost at rank 1 to k, (k,)."""
        return np.sqrt(np.maximum(self.norm**2 - np.cumsum(self.singular**2), 0.0))


def find_isometry(matrix: Counts) -> Isometry:
    """Rows of at most V numbers whose lengths, distances and cosines are those of the rows of `matrix` (V, D).

    The triangle of a pivoted Cholesky factorization of the Gram matrix of unit rows: errors are those of float64,
    relative to each row's own length. Time V^3 / 3, memory 8 V^2 bytes.
    """
    V = matrix.shape[0]
    lengths = find_lengths(matrix)
    seen = np.flatnonzero(lengths)
    units = sparse.csr_array(sparse.diags_array(1 / lengths[seen]) @ matrix[seen])
    gram = np.asfortranarray((units @ units.T).toarray())
    factorize: Any = get_lapack_funcs("pstrf", dtype=np.float64)
    lower, order, rank, _ = factorize(gram, lower=1, overwrite_a=1)
    vectors = np.zeros((V, rank), dtype=np.float32)
    for start in range(0, len(seen), BLOCK):
        rows = seen[order[start : start + BLOCK] - 1]
        vectors[rows] = np.tril(lower[start : start + BLOCK, :rank], start) * lengths[rows, None]
    return Isometry(vectors, int(rank))


def find_spectrum(matrix: Counts, k: int, *, seed: int) -> np.ndarray:
    """The k largest singular values alone, descending; fewer where the matrix is smaller."""
    if _is_dense(matrix, k):
        return np.linalg.svd(matrix.toarray(), compute_uv=False)[:k]
    found: Any = svds(matrix, k=k, v0=_start(matrix, seed), solver="arpack", return_singular_vectors=False)
    return np.sort(found)[::-1]


def _is_dense(matrix: Counts, k: int) -> bool:
    m, n = matrix.shape
    return m * n <= DENSE or k >= min(m, n)


def _start(matrix: Counts, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=min(matrix.shape))


def find_directions(matrix: Counts, k: int, *, seed: int, key: str) -> Directions:
    """The k leading singular directions of a matrix (m, n). ConfigError, naming the option `key`, above its rank."""
    matrix.eliminate_zeros()
    if _is_dense(matrix, k):
        solved: Any = np.linalg.svd(matrix.toarray(), full_matrices=False)
        U, S, Wt = solved
    else:
        solved = svds(matrix, k=k, v0=_start(matrix, seed), solver="arpack")
        U, S, Wt = solved
        order = np.argsort(-S, kind="stable")
        U, S, Wt = U[:, order], S[order], Wt[order]
    above = np.finfo(float).eps * max(matrix.shape) * S.max(initial=0.0) < S
    rank = int(np.count_nonzero(above))
    if k > rank:
        raise ConfigError(
            f"{key}: {k} was given, and the matrix of this text has rank {rank}; at most {rank}"
            if rank
            else f"{key}: every entry of the matrix of this text is 0, so that it has no direction; take another text"
        )
    U, S, Wt = U[:, :k], S[:k], Wt[:k]
    signs = np.sign(U[np.abs(U).argmax(axis=0), np.arange(k)])
    left, right = U * signs, Wt.T * signs
    # solvers leave 1e-16 where nothing is: a direction to whoever divides by the length
    left[np.diff(matrix.tocsr().indptr) == 0] = 0
    right[np.diff(matrix.tocsc().indptr) == 0] = 0
    return Directions(left, S, right, float(np.linalg.norm(matrix.data)))
