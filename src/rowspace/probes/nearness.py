"""Five ways to say that two rows are near: exact nearest rows by each, a block of queries at a time.

cosine     cos(q, x)
dot        q . x: long rows are near to many
euclidean  -||q - x||
centred    cosine after the mean row of the text tokens is taken away: a shift that all rows share says nothing
csls       2 cos(q, x) - r(x) - r(q), r the mean cosine with the 10 nearest rows: hubs, near to all, fall back
           (Conneau et al. ICLR 2018). r is over all rows, or over a seeded sample of 2,048 where there are more.

Each is an inner product of rows with a column or two added, up to what is the same for all x, so that one exact search
serves all; it fetches more than was asked, and float64 has the last word on values and order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from rowspace.geometry.nearest import RowsAt, find_candidates
from rowspace.geometry.rows import find_text_rows, measure_norms, pick
from rowspace.geometry.spectrum import measure_mean_row
from rowspace.geometry.trimming import Top, Trimmed
from rowspace.table import TokenTable

Measure = Literal["cosine", "dot", "euclidean", "csls", "centred"]
MEASURES: tuple[Measure, ...] = ("cosine", "dot", "euclidean", "csls", "centred")
TIE = 1e-9
"""Float64 cosines closer than this are equal; lengths and products, relative to the largest."""
SPARE = 16
"""Rows fetched beyond what was asked, for float64 to choose from."""
HUBNESS_K = 10
REFERENCES = 2048
FAR = 1e15
"""Lengths of the largest row beyond which it no longer matters how far a query is."""
BLOCK = 64
TOGETHER = 2048
"""Rows compared with the references at once: 17 MB."""


@dataclass(frozen=True, eq=False)
class Near:
    """`ids` (m, k), nearest first, -1 where none is left; `values` (m, k) float64, larger is nearer (a distance is
    negative), -inf where none; `gap` what float64 values may differ by and be equal."""

    ids: np.ndarray
    values: np.ndarray
    gap: float


def find_near(
    table: TokenTable,
    queries: np.ndarray,
    *,
    measure: Measure,
    k: int,
    eligible: np.ndarray,
    own: np.ndarray,
    seed: int,
) -> Near:
    """The k nearest eligible rows of each query (m, d); `own` (m,): the id that it must not find, -1 for none."""
    asking = _prepare(table, measure, eligible, seed)
    asked = queries.astype(np.float64) - asking.base
    if measure in ("cosine", "centred", "csls"):
        asked = _units(asked)
    wide = _units(asked) if measure == "dot" else np.clip(asked / asking.size, -FAR, FAR)
    ids = find_candidates(asking.rows_at, asking.bias, wide.astype(np.float32), wide=min(k + SPARE, table.V), own=own)
    values = np.full(ids.shape, -np.inf)
    for start in range(0, len(ids), BLOCK):
        block = slice(start, start + BLOCK)
        values[block] = _values(table, asked[block], ids[block], measure, asking)
    if measure == "csls" and len(asked):
        values -= _own_penalty(asking.rows_at, asked, own, eligible, seed)[:, None]
    values[ids < 0] = -np.inf
    order = np.lexsort((ids, -values))[:, :k]
    ids, values = np.take_along_axis(ids, order, axis=1), np.take_along_axis(values, order, axis=1)
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    return Near(ids, values, TIE * (largest if measure in ("dot", "euclidean") else 1.0))


@dataclass(frozen=True, eq=False)
class Asking:
    """What makes a measure an inner product: rows (n, d) at a place, float32, of length 1 at most; `bias` (V,) added to
    their products, -inf where a row may not be found. `base` (d,) is taken from rows and queries; queries are divided
    by `size`. `penalty` (V,) is r, of csls alone."""

    rows_at: RowsAt
    bias: np.ndarray
    base: np.ndarray
    size: float
    penalty: np.ndarray


def _prepare(table: TokenTable, measure: Measure, eligible: np.ndarray, seed: int) -> Asking:
    """Nothing of the table's size but a few numbers a row. Euclidean: q . x - ||x||^2 / 2, in units of the largest row;
    csls: q . x - r(x) / 2."""
    vectors, none = table.vectors, np.zeros(0)
    bias = np.where(eligible, 0.0, -np.inf).astype(np.float32)
    base = _mean(table) if measure == "centred" else np.zeros(table.d)
    if measure in ("dot", "euclidean"):
        norms = measure_norms(vectors)
        size = max(float(norms[eligible].max(initial=0.0)), float(np.finfo(np.float32).tiny))
        if measure == "euclidean":
            bias -= np.minimum((norms / size) ** 2 / 2, 1).astype(np.float32)
        return Asking(_rows_at(vectors, np.full(table.V, 1 / size), base), bias, base, size, none)
    norms = measure_norms(vectors if measure != "centred" else Trimmed(vectors, Top(base, np.zeros((table.d, 0)))))
    rows_at = _rows_at(vectors, np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0), base)
    if measure != "csls":
        return Asking(rows_at, bias, base, 1.0, none)
    penalty = _penalties(rows_at, eligible, seed)
    return Asking(rows_at, bias - (penalty / 2).astype(np.float32), base, 1.0, penalty)


def _rows_at(vectors: np.ndarray, inverse: np.ndarray, base: np.ndarray) -> RowsAt:
    """(rows - base) times `inverse` (V,), float32."""
    exact = bool(base.any()) or float(inverse.max(initial=0.0)) > FAR**2
    small = np.zeros(0) if exact else inverse.astype(np.float32)

    def rows_at(where: slice | np.ndarray) -> np.ndarray:
        rows = vectors[where]
        if exact:
            rows = rows - base
            rows *= inverse[where, None]
            return rows.astype(np.float32)
        return rows * small[where, None]

    return rows_at


def _values(table: TokenTable, asked: np.ndarray, ids: np.ndarray, measure: Measure, asking: Asking) -> np.ndarray:
    """The measure between queries (m, d) and rows (m, k), in float64."""
    rows = table.vectors[np.maximum(ids, 0)].astype(np.float64)
    rows -= asking.base
    if measure == "euclidean":
        return -np.linalg.norm(rows - asked[:, None, :], axis=2)
    if measure != "dot":
        norms = np.linalg.norm(rows, axis=2, keepdims=True)
        rows = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    values = np.einsum("mkd,md->mk", rows, asked)
    if measure == "csls":
        return 2 * np.clip(values, -1, 1) - asking.penalty[np.maximum(ids, 0)]
    return values if measure == "dot" else np.clip(values, -1, 1)


def _penalties(units_at: RowsAt, eligible: np.ndarray, seed: int) -> np.ndarray:
    """r of every row: mean cosine with its nearest reference rows, itself left out."""
    references = _references(eligible, seed)
    own = np.full(len(eligible), -1, dtype=np.int64)
    own[references] = np.arange(len(references))
    return _mean_nearest(units_at(references), units_at, own)


def _own_penalty(units_at: RowsAt, asked: np.ndarray, own: np.ndarray, eligible: np.ndarray, seed: int) -> np.ndarray:
    """r of the queries."""
    references = _references(eligible, seed)
    place = np.full(len(eligible) + 1, -1, dtype=np.int64)
    place[references] = np.arange(len(references))
    return _mean_nearest(units_at(references), asked.astype(np.float32).__getitem__, place[own])


def _references(eligible: np.ndarray, seed: int) -> np.ndarray:
    ids = np.flatnonzero(eligible)
    return (
        ids if len(ids) <= REFERENCES else np.sort(np.random.default_rng(seed).choice(ids, REFERENCES, replace=False))
    )


def _mean_nearest(references: np.ndarray, units_at: RowsAt, own: np.ndarray) -> np.ndarray:
    """Mean cosine of each row with its nearest references, `own` (V,) its own place among them or -1; float32."""
    found, columns = np.zeros(len(own)), torch.from_numpy(references).T
    k = min(HUBNESS_K, len(references) - 1)
    for start in range(0, len(own) if k > 0 else 0, TOGETHER):
        block = slice(start, start + TOGETHER)
        cosines = torch.from_numpy(units_at(block)) @ columns
        has = np.flatnonzero(own[block] >= 0)
        cosines[torch.from_numpy(has), torch.from_numpy(own[block][has])] = -torch.inf
        found[block] = cosines.topk(k, dim=1, sorted=False).values.double().mean(dim=1).numpy()
    return found


def _mean(table: TokenTable) -> np.ndarray:
    rows = find_text_rows(table)
    return measure_mean_row(pick(table.vectors, rows)) if len(rows) else np.zeros(table.d)


def _units(rows: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
