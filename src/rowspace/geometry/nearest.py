"""Exact nearest rows by cosine, a block of queries at a time; no index, no sample, no V x V matrix.

The k best of a row are found in two exact steps: the k groups of columns with the largest maxima hold them all.
"""

from __future__ import annotations

import numpy as np
import torch

BLOCK = 512
GROUP = 64


def find_nearest(
    units: np.ndarray, queries: np.ndarray, *, k: int, eligible: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ids and cosines of the k nearest eligible rows of each query, nearest first, equal ones by id.

    `units` (V, d) and `queries` (m, d) rows of norm 1; `eligible` (V,) bool; `own` (m,) the id that a query must not
    find, -1 for none. Returns (m, k') int64 and float64 with k' = min(k, V); where fewer are left, id -1, cosine -2.
    """
    V = len(units)
    k = min(k, V)
    wide = min(k + 2, V)
    groups = -(-V // GROUP)
    columns = torch.from_numpy(units)
    barred = torch.from_numpy(np.ascontiguousarray(~eligible))
    ids = np.full((len(queries), k), -1, dtype=np.int64)
    cosines = np.full((len(queries), k), -2.0)
    scores = torch.full((min(BLOCK, max(len(queries), 1)), groups * GROUP), -torch.inf)
    for start in range(0, len(queries), BLOCK):
        block = torch.from_numpy(queries[start : start + BLOCK])
        own_ids = torch.from_numpy(np.ascontiguousarray(own[start : start + BLOCK]))
        part = scores[: len(block)]
        part[:, :V] = block @ columns.T
        part[:, :V].masked_fill_(barred, -torch.inf)
        has = torch.nonzero(own_ids >= 0).squeeze(1)
        part[has, own_ids[has]] = -torch.inf
        best = _largest(part, wide).numpy()
        ids[start : start + len(block)], cosines[start : start + len(block)] = _exactly(
            units, queries[start : start + BLOCK], best, part.numpy(), k
        )
    return ids, cosines


def _largest(scores: torch.Tensor, k: int) -> torch.Tensor:
    """Columns of the k largest of each row (m, groups * GROUP), through the groups with the k largest maxima."""
    grouped = scores.view(len(scores), -1, GROUP)
    tops = grouped.amax(dim=2).topk(min(k, grouped.shape[1]), dim=1).indices
    chosen = grouped.gather(1, tops[:, :, None].expand(-1, -1, GROUP))
    best = chosen.flatten(1).topk(k, dim=1).indices
    return tops.gather(1, best // GROUP) * GROUP + best % GROUP


def _exactly(
    units: np.ndarray, queries: np.ndarray, ids: np.ndarray, scores: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The candidates with float64 cosines, sorted by cosine and then id; barred ones become (-1, -2)."""
    barred = np.isneginf(np.take_along_axis(scores, ids, axis=1))
    rows = units[np.where(barred, 0, ids)].astype(np.float64)
    cosines = np.einsum("mkd,md->mk", rows, queries.astype(np.float64))
    cosines = np.where(barred, -2.0, np.clip(cosines, -1.0, 1.0))
    ids = np.where(barred, -1, ids)
    order = np.lexsort((ids, -cosines))[:, :k]
    return np.take_along_axis(ids, order, axis=1), np.take_along_axis(cosines, order, axis=1)
