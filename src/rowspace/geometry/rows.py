"""Rows of a table: blocks in float64, norms, unit rows, and which rows a measure speaks of.

Every measure of this room accumulates in float64 and never holds a second whole table, so that a table of
256 k rows costs a few blocks of memory more than itself. Measures take `Vectors`: an array, some rows of one
(`pick`), or rows that are made when they are asked for (`rowspace.geometry.nulls`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from rowspace.table import TokenTable

BLOCK = 8_192
"""Rows that are read at once, at most."""
ENTRIES = 2**19
"""Numbers in one float64 block: 4 MB, which stays in the cache and needs no fresh pages."""


class Vectors(Protocol):
    """Rows (V, d) that are read by slice or by an array of indices; both give an array of their own or a view."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __len__(self) -> int: ...

    def __getitem__(self, key: Any, /) -> Any: ...


class Picked:
    """Some rows of a table, gathered when they are asked for."""

    def __init__(self, vectors: np.ndarray, rows: np.ndarray) -> None:
        self._vectors = vectors
        self._rows = rows

    @property
    def shape(self) -> tuple[int, ...]:
        return len(self._rows), self._vectors.shape[1]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, key: Any, /) -> np.ndarray:
        return self._vectors[self._rows[key]]


def pick(vectors: np.ndarray, rows: np.ndarray) -> Vectors:
    """The rows (n,) of (V, d), ascending, without a copy of them."""
    if not len(rows):
        return vectors[:0]
    first, last = int(rows[0]), int(rows[-1])
    return vectors[first : last + 1] if last - first + 1 == len(rows) else Picked(vectors, rows)


def blocks(vectors: Vectors) -> Iterator[np.ndarray]:
    """The rows of (V, d) in float64, a block at a time."""
    for _, block in spans(vectors):
        yield block


def spans(vectors: Vectors) -> Iterator[tuple[slice, np.ndarray]]:
    """The blocks of (V, d), each with the place of its rows."""
    step = rows_at_once(vectors)
    for start in range(0, len(vectors), step):
        block = vectors[start : start + step].astype(np.float64)
        yield slice(start, start + len(block)), block


def rows_at_once(vectors: Vectors) -> int:
    """Rows of a block."""
    return min(max(ENTRIES // max(vectors.shape[1], 1), 256), BLOCK)


def measure_largest(vectors: Vectors) -> float:
    """The largest absolute value of (V, d), 0 where there is none: what rows are divided by before they are squared."""
    return max((float(np.abs(block, out=block).max(initial=0.0)) for block in blocks(vectors)), default=0.0)


def measure_norms(vectors: Vectors) -> np.ndarray:
    """Euclidean norm of each row: (V, d) -> (V,) float64, safe for rows of any size that float64 can hold."""
    norms = np.empty(len(vectors))
    for rows, block in spans(vectors):
        with np.errstate(over="ignore"):
            norms[rows] = lengths = np.sqrt(np.einsum("vd,vd->v", block, block))
        if lengths.min(initial=1.0) > _SMALL and lengths.max(initial=1.0) < 1 / _SMALL:
            continue
        largest = np.abs(block).max(axis=1, initial=0.0)
        scale = np.where(largest > 0, largest, 1.0)
        block /= scale[:, None]
        norms[rows] = scale * np.sqrt(np.einsum("vd,vd->v", block, block))
    return norms


class Units:
    """Rows (V, d) at norm 1, float32, made when they are asked for, or some columns of them (by `np.ix_`). `norms` (V,)
    float64; zero rows stay zero."""

    def __init__(self, vectors: Vectors) -> None:
        self.norms = measure_norms(vectors)
        self._vectors = vectors
        self._inverse = np.divide(1.0, self.norms, out=np.zeros_like(self.norms), where=self.norms > 0)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._vectors.shape

    def __len__(self) -> int:
        return len(self._vectors)

    def __getitem__(self, key: Any, /) -> np.ndarray:
        rows = self._vectors[key].astype(np.float64)
        rows *= self._inverse[key[0]] if isinstance(key, tuple) else self._inverse[key][..., None]
        return rows.astype(np.float32)


def unit_rows(vectors: Vectors) -> tuple[np.ndarray, np.ndarray]:
    """`Units` as an array (V, d) of its own, and the former norms (V,)."""
    found, units = Units(vectors), np.empty(vectors.shape, dtype=np.float32)
    step = rows_at_once(vectors)
    for start in range(0, len(vectors), step):
        units[start : start + step] = found[start : start + step]
    return units, found.norms


def multiply(queries: np.ndarray, rows: Vectors) -> np.ndarray:
    """Products (m, V) of queries (m, d) with all rows, which are read a block at a time; float32."""
    found = np.empty((len(queries), len(rows)), dtype=np.float32)
    step = rows_at_once(rows)
    for start in range(0, len(rows), step):
        np.matmul(queries, rows[start : start + step].T, out=found[:, start : start + step])
    return found


_SMALL = 1e-100
"""Lengths below this, and those above its inverse, have squares that float64 may not hold."""


def find_text_rows(table: TokenTable) -> np.ndarray:
    """Ids that stand for text and were seen in training, ascending (n,) int64.

    Special tokens and never-seen ids form a cluster of their own, which would be taken for a property of the
    language. Without counts every id that is not special is taken.
    """
    kept = np.ones(table.V, dtype=bool)
    kept[[id_ for id_ in table.special if id_ < table.V]] = False
    if table.counts is not None:
        kept &= np.asarray(table.counts) > 0
    return np.flatnonzero(kept)


def measure_distance_range(vectors: np.ndarray) -> tuple[float, float]:
    """The least and the largest distance of two rows, (n, d) of few rows; the same where no row has a neighbour."""
    wide = vectors.astype(np.float64)
    squares = np.einsum("nd,nd->n", wide, wide)
    apart = np.maximum(squares[:, None] + squares - 2 * wide @ wide.T, 0.0)[np.triu_indices(len(wide), 1)]
    return float(np.sqrt(apart.min(initial=np.inf))), float(np.sqrt(apart.max(initial=0.0)))
