"""Two tables of the same tokens: do their rows have the same neighbours, and the same inner products?

Neither needs a common basis. Neighbour overlap@k = |A n B| / k and Jaccard = |A n B| / |A u B| compare sets of
neighbours; chance is k / (V - 1). Linear CKA = ||Y^T X||_F^2 / (||X^T X||_F ||Y^T Y||_F) of centred columns compares
all inner products at once, in [0, 1]; two unrelated tables do not have 0 but about d / (V + d). Kornblith et al. 2019.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rowspace.geometry.rows import BLOCK, Vectors, measure_largest
from rowspace.geometry.spectrum import measure_mean_row
from rowspace.table import Missing


def count_shared(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """|A n B| and |A u B| of each row's two sets of ids, (m, k) each -> (m,), (m,) int64; -1 is no neighbour."""
    shared = np.zeros(len(first), dtype=np.int64)
    for place in range(second.shape[1]):
        one = second[:, place : place + 1]
        shared += ((first == one) & (one >= 0)).any(axis=1)
    return shared, (first >= 0).sum(axis=1) + (second >= 0).sum(axis=1) - shared


def measure_overlap(first: np.ndarray, second: np.ndarray) -> float | Missing:
    """Mean of |A n B| / k over rows whose two sets (m, k) hold a neighbour each, in [0, 1]; chance is k / (V - 1)."""
    shared, _ = count_shared(first, second)
    sizes = np.minimum((first >= 0).sum(axis=1), (second >= 0).sum(axis=1))
    return float((shared[sizes > 0] / sizes[sizes > 0]).mean()) if (sizes > 0).any() else _NONE


def measure_jaccard(first: np.ndarray, second: np.ndarray) -> float | Missing:
    """Mean of |A n B| / |A u B| over rows that have a neighbour, in [0, 1]."""
    shared, union = count_shared(first, second)
    return float((shared[union > 0] / union[union > 0]).mean()) if (union > 0).any() else _NONE


def find_chance_overlap(k: int, V: int) -> float | Missing:
    """Expected overlap of k neighbours drawn blindly from the other V - 1 rows."""
    return min(k / (V - 1), 1.0) if V > 1 else _NONE


def measure_cka(first: Vectors, second: Vectors, *, order: np.ndarray | None = None) -> float | Missing:
    """Linear CKA of (V, a) and (V, b), in [0, 1]; `order` (V,) pairs row i of the first with row order[i] of the other.

    Chance is `find_cka_floor`. Invariant to rotation, shift and scale of either.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} rows cannot be compared with {len(second)}")
    between, one, two = (cross_product(a, b, order=o) for a, b, o in _three(first, second, order))
    scale = np.linalg.norm(one) * np.linalg.norm(two)
    if scale == 0:
        return Missing("every row of one table is the same: it has nothing to compare")
    return float(np.clip((between**2).sum() / scale, 0.0, 1.0))


def find_cka_floor(V: int, first: int, second: int) -> float | Missing:
    """CKA of two unrelated tables of independent normal numbers, V rows of widths `first` and `second`:
    d / (V + d) for equal widths."""
    widths = np.array([first, second], dtype=float)
    return float(np.sqrt(np.prod(widths / (V + widths)))) if V > 1 and widths.all() else _NONE


def cross_product(first: Vectors, second: Vectors, *, order: np.ndarray | None = None) -> np.ndarray:
    """X^T Y of the centred rows, each table divided by its largest value: (V, a), (V, b) -> (a, b) float64."""
    means = [measure_mean_row(first), measure_mean_row(second)]
    sizes = [max(float(measure_largest(side)), np.finfo(float).tiny) for side in (first, second)]
    total = np.zeros((first.shape[1], second.shape[1]))
    for start in range(0, len(first), BLOCK):
        rows = slice(start, start + BLOCK)
        x = (first[rows].astype(np.float64) - means[0]) / sizes[0]
        y = (second[rows if order is None else order[rows]].astype(np.float64) - means[1]) / sizes[1]
        total += x.T @ y
    return _without_rounding(total, len(first), *(mean / size for mean, size in zip(means, sizes, strict=True)))


def _without_rounding(total: np.ndarray, V: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Zero where everything is no more than the rounding error of two subtracted means."""
    error = V * (4 * np.finfo(np.float64).eps) ** 2 * np.linalg.norm(first) * np.linalg.norm(second)
    return total if np.linalg.norm(total) > error else np.zeros_like(total)


def _three(
    first: Vectors, second: Vectors, order: np.ndarray | None
) -> Iterator[tuple[Vectors, Vectors, np.ndarray | None]]:
    yield from ((first, second, order), (first, first, None), (second, second, None))


_NONE = Missing("no row has a neighbour to compare")
