"""Nearest rows by cosine and closest rows by distance of the same queries, from one matrix product instead of two.

With c = x - mean the product c . q decides both: distance orders by c . q - ||c||^2 / 2, and the cosine of the rows as
they stand by (c . q + mean . c + mean . x_q) / ||x||. The second form loses digits where rows are short beside the
mean; `fits` says where it does not, and elsewhere each search makes its own product (`rowspace.geometry.nearest`).
"""

from __future__ import annotations

import numpy as np
import torch

from rowspace.geometry.nearest import (
    BLOCK,
    COLUMNS,
    GROUP,
    SPARE,
    Best,
    RowsAt,
    bar,
    exact_cosines,
    exact_distances,
    moved_at,
    units_at,
)
from rowspace.geometry.readings import Around, Totals
from rowspace.geometry.rows import Vectors, unit_rows

QUERIES = BLOCK // 2
"""In one product: its two blocks of scores are together as large as the one of `nearest`."""
LONGEST_MEAN = 3.0
"""Length of the mean row, in lengths of the shortest row: float32 products then lose a factor of 16 at most, one digit
and a half of seven, and the spare candidates are still more than rounding can shuffle."""

Found = tuple[np.ndarray, np.ndarray]


def fits(totals: Totals) -> bool:
    """Whether every row has a direction, and none is short beside the mean row."""
    return totals.n == len(totals.norms) > 0 and bool(np.linalg.norm(totals.mean) <= LONGEST_MEAN * totals.norms.min())


def find_near_and_close(
    vectors: Vectors, asked: np.ndarray, *, near: int, close: int, totals: Totals, around: Around
) -> tuple[Found, Found]:
    """(ids, cosines) (m, near) and (ids, distances) (m, close) of the rows `asked` (m,), themselves left out."""
    V, size = len(vectors), totals.largest
    near, close = min(near, V - 1), min(close, V - 1)
    moved, rows_at = moved_at(vectors, totals.mean, size), units_at(vectors, totals.norms)
    queries = moved(asked)
    by_cosine, by_distance = _candidates(
        moved,
        queries,
        asked,
        near=min(near + 4 * SPARE, V),
        close=min(close + 4 * SPARE, V),
        totals=totals,
        around=around,
    )
    units, _ = unit_rows(vectors[asked])
    nearest = exact_cosines(by_cosine, units, rows_at, k=near)
    ids, distances = exact_distances(by_distance, queries, moved, k=close)
    return nearest, (ids, distances * size)


def _candidates(
    moved: RowsAt, queries: np.ndarray, asked: np.ndarray, *, near: int, close: int, totals: Totals, around: Around
) -> tuple[np.ndarray, np.ndarray]:
    """Ids (m, near) and (m, close) of the largest float32 scores of either kind."""
    V, m, shift = len(totals.norms), len(asked), totals.mean / totals.largest
    left, owned = torch.from_numpy(queries.astype(np.float32)), torch.from_numpy(np.ascontiguousarray(asked))
    along = torch.from_numpy((queries @ shift + shift @ shift).astype(np.float32))[:, None]
    inverse = (totals.largest / totals.norms).astype(np.float32)
    bias = (-np.square(around.norms) / 2).astype(np.float32)
    nearest, closest = Best(m, near), Best(m, close)
    widest = -(-min(COLUMNS, V) // GROUP) * GROUP
    both = torch.full((2, min(QUERIES, m), widest), -torch.inf)
    for first in range(0, V, COLUMNS):
        rows = moved(slice(first, first + COLUMNS))
        width, columns = len(rows), torch.from_numpy(rows.astype(np.float32)).T
        added = torch.from_numpy((rows @ shift).astype(np.float32))
        by, less = (torch.from_numpy(each[first : first + width]) for each in (inverse, bias))
        both[:, :, width:] = -torch.inf
        for start in range(0, m, QUERIES):
            block = slice(start, min(start + QUERIES, m))
            cosines, distances = both[:, : block.stop - start]
            product = cosines[:, :width]
            torch.mm(left[block], columns, out=product)
            torch.add(product, less, out=distances[:, :width])
            product.add_(added).add_(along[block]).mul_(by)
            for scores, best in ((cosines, nearest), (distances, closest)):
                bar(scores, owned[block] - first, width)
                best.take(block, scores, first)
    return nearest.ids(), closest.ids()
