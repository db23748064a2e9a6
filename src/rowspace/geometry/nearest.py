"""Exact nearest rows, by cosine or by distance, a block of queries against a block of columns at a time.

No index, no sample, no V x V matrix, and no second table. Candidates come from float32 products: the k best of a row
are in the k groups of columns with the largest maxima, and once k are known only a group whose maximum beats the worst
of them is looked into. They are then measured anew and ordered in float64; two spare candidates make up for the
rounding of the first step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from rowspace.geometry.readings import Around, Totals, find_totals
from rowspace.geometry.rows import Vectors

RowsAt = Callable[[slice | np.ndarray], np.ndarray]
BLOCK = 1_024
"""Queries in one product."""
COLUMNS = 4_096
"""Rows of the table in one product: 17 MB of scores, and a shape at which a product is nearest to its best rate."""
GROUP = 64
SPARE = 2
MEASURED = 64
"""Queries whose candidates are measured anew at once: their rows fit into the cache."""


def find_nearest(
    units: Vectors,
    queries: np.ndarray,
    *,
    k: int,
    eligible: np.ndarray,
    own: np.ndarray,
    norms: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Ids and cosines of the k nearest eligible rows of each query, nearest first, equal ones by id.

    `units` (V, d) and `queries` (m, d) rows of norm 1; `eligible` (V,) bool; `own` (m,) the id that a query must not
    find, -1 for none. Returns (m, k') int64 and float64 with k' = min(k, V); where fewer are left, id -1, cosine -2.
    `norms` (V,): `units` are then rows of any length, divided by these a block at a time; zero rows are not eligible.
    """
    V, k = len(units), min(k, len(units))
    bias = np.zeros(V, dtype=np.float32)
    bias[~eligible if norms is None else ~(eligible & (norms > 0))] = -np.inf

    rows_at = units_at(units, norms)
    candidates = find_candidates(rows_at, bias, queries, wide=min(k + SPARE, V), own=own)
    return exact_cosines(candidates, queries, rows_at, k=k)


def units_at(vectors: Vectors, norms: np.ndarray | None) -> RowsAt:
    """Rows of norm 1 at a place: those of (V, d) divided by their `norms` (V,), or as they are."""

    def rows_at(where: slice | np.ndarray) -> np.ndarray:
        rows = vectors[where]
        if norms is None:
            return rows
        lengths = np.where(norms[where] > 0, norms[where], 1.0)
        rows = rows.astype(np.float64)
        rows /= lengths[..., None]
        return rows

    return rows_at


def moved_at(vectors: Vectors, mean: np.ndarray, size: float) -> RowsAt:
    """(rows - mean) / size at a place, float64."""

    def rows_at(where: slice | np.ndarray) -> np.ndarray:
        rows = vectors[where].astype(np.float64)
        rows -= mean
        rows /= size
        return rows

    return rows_at


def find_closest(
    vectors: Vectors, asked: np.ndarray, *, k: int, read: tuple[Totals, Around] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Ids and Euclidean distances of the k rows closest to the rows `asked` (m,) of (V, d), themselves excluded.

    Returns (m, k') with k' = min(k, V - 1). Distances are exact to float64; a duplicate is at distance 0.
    `read`: what was added up of these rows, where it was.
    """
    V, k = len(vectors), max(min(k, len(vectors) - 1), 0)
    totals = find_totals(vectors) if read is None else read[0]
    size, mean = totals.largest or 1.0, totals.mean
    rows_at = moved_at(vectors, mean, size)
    bias = np.empty(V, dtype=np.float32)
    if read is not None:
        bias[:] = -np.square(read[1].norms) / 2
    for start in range(0, V if read is None else 0, COLUMNS):
        rows = rows_at(slice(start, start + COLUMNS))
        bias[start : start + len(rows)] = -np.einsum("vd,vd->v", rows, rows) / 2
    queries = rows_at(asked)
    candidates = find_candidates(rows_at, bias, queries.astype(np.float32), wide=min(k + 4 * SPARE, V), own=asked)
    ids, distances = exact_distances(candidates, queries, rows_at, k=k)
    return ids, distances * size


def exact_cosines(
    candidates: np.ndarray, queries: np.ndarray, rows_at: RowsAt, *, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Ids and float64 cosines (m, k), nearest first, of the candidates (m, wide) of unit queries (m, d)."""

    def scored(block: np.ndarray, ids: np.ndarray) -> np.ndarray:
        return np.clip(_products(_gather(rows_at, ids), block), -1.0, 1.0)

    return _exactly(candidates, queries, scored, k=k, worst=-2.0)


def exact_distances(
    candidates: np.ndarray, queries: np.ndarray, rows_at: RowsAt, *, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Ids and float64 distances (m, k), closest first, of the candidates (m, wide) of queries (m, d)."""

    def scored(block: np.ndarray, ids: np.ndarray) -> np.ndarray:
        apart = _gather(rows_at, ids) - block[:, None]
        return -np.sqrt(np.einsum("mkd,mkd->mk", apart, apart))

    ids, found = _exactly(candidates, queries, scored, k=k, worst=-np.inf)
    return ids, -found


class Best:
    """The `wide` columns with the largest scores so far of each of m queries, in no order."""

    def __init__(self, m: int, wide: int) -> None:
        self._wide = wide
        self._ids = torch.full((m, wide), -1, dtype=torch.int64)
        self._values = torch.full((m, wide), -torch.inf)

    def take(self, block: slice, scores: torch.Tensor, first: int) -> None:
        """Scores (queries of the block, columns from `first` on), a multiple of GROUP many."""
        known = self._values[block]
        columns, values = _larger(scores, known.amin(dim=1), min(self._wide, scores.shape[1]))
        best = torch.cat([known, values], 1).topk(self._wide, dim=1)
        both = torch.cat([self._ids[block], columns + first], 1)
        self._values[block], self._ids[block] = best.values, both.gather(1, best.indices)

    def ids(self) -> np.ndarray:
        """(m, wide) int64; -1 where fewer are not barred."""
        return torch.where(self._values > -torch.inf, self._ids, -1).numpy()


def find_candidates(
    rows_at: RowsAt, bias: np.ndarray, queries: np.ndarray, *, wide: int, own: np.ndarray
) -> np.ndarray:
    """Ids (m, wide) with the largest float32 product + bias; -1 where fewer are not barred. In no order."""
    V, m = len(bias), len(queries)
    asked, owned = torch.from_numpy(np.ascontiguousarray(queries)), torch.from_numpy(np.ascontiguousarray(own))
    best = Best(m, wide)
    widest = -(-min(COLUMNS, V) // GROUP) * GROUP
    scores = torch.full((min(BLOCK, m), widest), -torch.inf)
    for first in range(0, V if m else 0, COLUMNS):
        part = np.require(rows_at(slice(first, first + COLUMNS)), np.float32, ["C", "W"])
        columns, width = torch.from_numpy(part).T, len(part)
        added = torch.from_numpy(bias[first : first + width])
        added = added if bool((added != 0).any()) else None
        scores[:, width:] = -torch.inf
        for start in range(0, m, BLOCK):
            block = slice(start, min(start + BLOCK, m))
            here = scores[: block.stop - start]
            torch.mm(asked[block], columns, out=here[:, :width])
            if added is not None:
                here[:, :width] += added
            bar(here, owned[block] - first, width)
            best.take(block, here, first)
    return best.ids()


def bar(scores: torch.Tensor, own: torch.Tensor, width: int) -> None:
    """No query finds itself among the columns 0..width."""
    has = torch.nonzero((own >= 0) & (own < width)).squeeze(1)
    scores[has, own[has]] = -torch.inf


def _larger(scores: torch.Tensor, floor: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Columns and scores (m, n) among which are the k largest of each row above its floor (m,); n is at most k.

    A group is every so many columns apart, so that both its maximum and its scores are read along the row.
    """
    grouped = scores.view(len(scores), GROUP, -1)
    maxima = grouped.amax(dim=1)
    most = int((maxima > floor[:, None]).sum(dim=1).amax())
    groups = maxima.topk(min(k, most), dim=1).indices
    chosen = grouped.gather(2, groups[:, None, :].expand(-1, GROUP, -1)).flatten(1)
    best = chosen.topk(min(k, chosen.shape[1]), dim=1)
    within = best.indices // max(groups.shape[1], 1)
    return within * maxima.shape[1] + groups.gather(1, best.indices - within * groups.shape[1]), best.values


def _exactly(
    candidates: np.ndarray,
    queries: np.ndarray,
    scored: Callable[[np.ndarray, np.ndarray], np.ndarray],
    *,
    k: int,
    worst: float,
) -> tuple[np.ndarray, np.ndarray]:
    """The k best of the candidates (m, wide) by their float64 scores, equal ones by id; missing ones (-1, worst)."""
    ids = np.full((len(queries), k), -1, dtype=np.int64)
    values = np.full((len(queries), k), worst)
    for start in range(0, len(queries), MEASURED):
        block = slice(start, start + MEASURED)
        mine = candidates[block]
        score = np.where(mine < 0, worst, scored(queries[block], np.maximum(mine, 0)))
        order = np.lexsort((mine, -score))[:, :k]
        ids[block] = np.take_along_axis(mine, order, axis=1)
        values[block] = np.take_along_axis(score, order, axis=1)
    return ids, values


def _gather(rows_at: RowsAt, ids: np.ndarray) -> np.ndarray:
    """Rows (m, k, d) of the ids (m, k)."""
    return rows_at(ids.ravel()).reshape(*ids.shape, -1)


def _products(rows: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """(m, k, d) rows times (m, d) queries, in float64: (m, k)."""
    both = torch.from_numpy(rows).double(), torch.from_numpy(np.ascontiguousarray(queries)).double()
    return torch.bmm(both[0], both[1][:, :, None]).squeeze(2).numpy()
