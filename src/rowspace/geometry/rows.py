"""Rows of a table: blocks in float64, norms, unit rows, and which rows a measure speaks of.

Every measure of this room accumulates in float64 and never holds a second whole table, so that a table of
256 k rows costs one block of memory more than itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rowspace.table import TokenTable

BLOCK = 16_384
"""Rows in one float64 block (32 MB at d = 256)."""


def blocks(vectors: np.ndarray) -> Iterator[np.ndarray]:
    """The rows of (V, d) in float64, a block at a time."""
    for start in range(0, len(vectors), BLOCK):
        yield vectors[start : start + BLOCK].astype(np.float64)


def measure_norms(vectors: np.ndarray) -> np.ndarray:
    """Euclidean norm of each row: (V, d) -> (V,) float64, safe for rows of any size that float64 can hold."""
    norms = np.empty(len(vectors))
    for index, block in enumerate(blocks(vectors)):
        largest = np.abs(block).max(axis=1, initial=0.0)
        scale = np.where(largest > 0, largest, 1.0)
        block /= scale[:, None]
        norms[index * BLOCK : index * BLOCK + len(block)] = scale * np.sqrt(np.einsum("vd,vd->v", block, block))
    return norms


def unit_rows(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows scaled to norm 1 and their former norms: (V, d) float32 and (V,) float64. Zero rows stay zero."""
    norms = measure_norms(vectors)
    inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    units = np.empty(vectors.shape, dtype=np.float32)
    for index, block in enumerate(blocks(vectors)):
        rows = slice(index * BLOCK, index * BLOCK + len(block))
        units[rows] = block * inverse[rows, None]
    return units, norms


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
