"""Is one table a rotation of the other? Orthogonal Procrustes, fitted on some rows and scored on others.

Q = U V^T of the singular value decomposition of A^T B (Schoenemann 1966). A and B are centred by the means of the rows
that it is fitted on, and each row counts alike, at norm 1. Scored on the rows that fitted it, two unrelated tables
still reach 8 / (3 pi) sqrt(d / n) (and sqrt(d / n) by an unconstrained linear map), so the score that counts is the one
on the other rows, where chance is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rowspace.geometry.rows import BLOCK, Vectors
from rowspace.geometry.spectrum import measure_mean_row
from rowspace.table import Missing


@dataclass(frozen=True)
class Procrustes:
    """Mean cosine of rows with their counterparts after the fit, on rows that it did not see (`held_out`) and on those
    that it did (`in_sample`), the chance `floor` of the latter, and how many rows of each."""

    held_out: float
    in_sample: float
    floor: float
    n_held_out: int
    n_in_sample: int


def fit_rotation(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Q (d, d), orthogonal, that brings the rows of `first` (n, d) closest to those of `second` (n, d)."""
    left, _, right = np.linalg.svd(first.T.astype(np.float64) @ second.astype(np.float64))
    return left @ right


def fit_linear_map(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """M (a, b) of least squares, first (n, a) @ M close to second (n, b): more freedom, and so a higher floor."""
    return np.linalg.lstsq(first.astype(np.float64), second.astype(np.float64), rcond=None)[0]


def measure_row_cosine(first: np.ndarray, second: np.ndarray) -> float | Missing:
    """Mean cosine of the rows of (n, d) with the rows of (n, d) in the same place; zero rows are left out."""
    total, n = _sum_of_cosines(*(_units(side, np.zeros(side.shape[1]), side.shape[1]) for side in (first, second)))
    return total / n if n else Missing("no pair of rows has two directions")


def find_procrustes_floor(d: int, n: int) -> float:
    """Mean in-sample cosine of two unrelated tables, fitted on n rows of width d: 8 / (3 pi) sqrt(d / n)."""
    return float(min(8 / (3 * np.pi) * np.sqrt(d / n), 1.0))


def measure_procrustes(
    first: Vectors, second: Vectors, *, seed: int, order: np.ndarray | None = None
) -> Procrustes | Missing:
    """Fitted on a seeded half of the rows and scored on both halves; the narrower of (V, a) and (V, b) gets zero
    columns. `order` (V,) pairs row i of the first with row order[i] of the second (a null: a random order)."""
    V, d = len(first), max(first.shape[1], second.shape[1])
    if V < 4 or d == 0:
        return Missing(f"{V} rows of width {d} are too few to fit a rotation on half of them")
    halves = np.array_split(np.random.default_rng(seed).permutation(V), 2)
    fitted, held = (np.sort(half) for half in halves)
    means = [measure_mean_row(first[fitted]), measure_mean_row(second[fitted if order is None else order[fitted]])]

    def pairs(rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for start in range(0, len(rows), BLOCK):
            own = rows[start : start + BLOCK]
            other = own if order is None else order[own]
            yield _units(first[own], means[0], d), _units(second[other], means[1], d)

    cross = sum((a.T @ b for a, b in pairs(fitted)), np.zeros((d, d)))
    left, _, right = np.linalg.svd(cross)
    turn, scores = left @ right, []
    for rows in (held, fitted):
        sums = [_sum_of_cosines(a @ turn, b) for a, b in pairs(rows)]
        n = sum(count for _, count in sums)
        if not n:
            return Missing("every row of one table is the same: it has no directions to turn")
        scores.append((sum(total for total, _ in sums) / n, n))
    (held_out, n_held), (in_sample, n_fitted) = scores
    return Procrustes(held_out, in_sample, find_procrustes_floor(d, n_fitted), n_held, n_fitted)


def _sum_of_cosines(a: np.ndarray, b: np.ndarray) -> tuple[float, int]:
    """Sum of the cosines of unit rows with unit rows, zero ones left out, and how many counted."""
    return float(np.einsum("nd,nd->", a, b)), int((a.any(axis=1) & b.any(axis=1)).sum())


def _units(rows: np.ndarray, mean: np.ndarray, d: int) -> np.ndarray:
    """Rows less the mean at norm 1, with zero columns up to d; what is no more than rounding becomes zero."""
    around = rows.astype(np.float64) - mean
    largest = np.abs(around).max(axis=1, keepdims=True, initial=0.0)
    tiny = 8 * np.finfo(np.float64).eps * np.abs(mean).max(initial=0.0)
    around = np.divide(around, largest, out=np.zeros_like(around), where=largest > tiny)
    norms = np.linalg.norm(around, axis=1, keepdims=True)
    np.divide(around, norms, out=around, where=norms > 0)
    return around if around.shape[1] == d else np.pad(around, ((0, 0), (0, d - around.shape[1])))
