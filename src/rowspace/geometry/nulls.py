"""The null beside every geometry number: random tables of the same shape and the same row norms.

A random table is not perfectly isotropic (participation ratio about d / (1 + d / V)), and frequent rows may be
long, so 0, 1 or d would flatter the trained table. Directions are uniform on the sphere; norms are the trained ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rowspace.geometry.random_rows import RandomRows
from rowspace.geometry.rows import BLOCK, Vectors, blocks
from rowspace.geometry.spectrum import count_directions, spectrum_of_gram
from rowspace.table import Missing


def random_rows(norms: np.ndarray, d: int, *, seed: int) -> Iterator[np.ndarray]:
    """Blocks (<= BLOCK, d) float32 of a random table: uniform directions, the given row norms (V,)."""
    rows = RandomRows(norms, d, seed=seed)
    for start in range(0, len(norms), BLOCK):
        yield rows[start : start + BLOCK]


def random_table(norms: np.ndarray, d: int, *, seed: int) -> np.ndarray:
    """The whole random table, (V, d) float32."""
    return RandomRows(norms, d, seed=seed)[:]


@dataclass(frozen=True, eq=False)
class Null:
    """One random table's numbers, by the keys of a survey, and its uncentred singular values (descending)."""

    numbers: dict[str, float | Missing]
    spectrum: np.ndarray


def measure_null(norms: np.ndarray, d: int, *, seed: int, first: Vectors | None) -> Null:
    """Numbers of a random table with the given norms (V,), a block of it at a time.

    A random table is well conditioned, so its Gram matrix is multiplied in float32 and added up in float64; the
    centred one follows from it by subtracting the mean, which is small. `first` (V, d): the start of the run. Between
    tables of unrelated directions the squared distance is the sum of the squared sizes: the null of relative drift.
    """
    V = len(norms)
    if V == 0 or d == 0:
        return Null({}, np.zeros(min(V, d)))
    size = float(norms.max())
    scaled = norms / size if size > 0 else norms
    gram, mean, directions = np.zeros((d, d)), np.zeros(d), np.zeros(d)
    kept, turned, start = 0, [], 0
    for block in random_rows(scaled, d, seed=seed):
        gram += block.T @ block
        mean += block.sum(axis=0, dtype=np.float64) / V
        units, has = _units(block)
        directions += units.sum(axis=0, dtype=np.float64)
        kept += has
        if first is not None:
            before, _ = _units(first[start : start + len(block)].astype(np.float32))
            turned.append(np.einsum("vd,vd->v", before, units).sum(dtype=np.float64))
        start += len(block)
    floor = max(V, d) * float(np.finfo(np.float32).eps)
    uncentred = spectrum_of_gram(gram, floor=floor)[: min(V, d)]
    centred = spectrum_of_gram(gram - V * np.outer(mean, mean), floor=floor)[: min(V, d)]
    numbers = count_directions(uncentred, centred)
    energy = float((scaled**2).mean())
    numbers["common_direction_share"] = float(mean @ mean / energy) if energy > 0 else Missing("every row is zero")
    numbers["mean_cosine_raw"] = _mean_cosine(directions, kept)
    numbers["mean_cosine_centred"] = _centred_cosine(random_rows(scaled, d, seed=seed), mean)
    if first is not None:
        numbers["drift_cosine"] = float(sum(turned) / kept) if kept else Missing("every row is zero")
        began = sum(float((rows**2).sum()) for rows in blocks(first))
        ended = float((norms**2).sum())
        numbers["drift_relative"] = float(np.sqrt(1 + ended / began)) if began else Missing("the table began at zero")
    return Null(numbers, uncentred * size)


def _centred_cosine(rows: Iterator[np.ndarray], mean: np.ndarray) -> float | Missing:
    """Mean cosine of the rows after the mean is subtracted; the rows are drawn a second time instead of being kept."""
    around, n = np.zeros(len(mean)), 0
    for block in rows:
        units, has = _units(block - mean.astype(np.float32))
        around += units.sum(axis=0, dtype=np.float64)
        n += has
    return _mean_cosine(around, n)


def _units(block: np.ndarray) -> tuple[np.ndarray, int]:
    """Rows of norm 1 (zero rows stay zero), and how many are not zero."""
    lengths = np.sqrt(np.einsum("vd,vd->v", block, block))
    return block / np.where(lengths > 0, lengths, 1.0)[:, None], int(np.count_nonzero(lengths))


def _mean_cosine(directions: np.ndarray, n: int) -> float | Missing:
    if n < 2:
        return Missing("fewer than two rows have a direction")
    return float((directions @ directions - n) / (n * (n - 1)))
