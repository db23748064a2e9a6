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

from rowspace.geometry.nearest import find_nearest
from rowspace.geometry.rows import find_text_rows, measure_norms, unit_rows
from rowspace.table import TokenTable

Measure = Literal["cosine", "dot", "euclidean", "csls", "centred"]
MEASURES: tuple[Measure, ...] = ("cosine", "dot", "euclidean", "csls", "centred")
TIE = 1e-9
"""Float64 cosines closer than this are equal; lengths and products, relative to the largest."""
SPARE = 16
"""Rows fetched beyond what was asked, for float64 to choose from."""
HUBNESS_K = 10
REFERENCES = 2048
BLOCK = 256
TOGETHER = 4096
"""Rows compared with the references at once: 34 MB."""


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
    base = _mean(table) if measure == "centred" else np.zeros(table.d)
    asked = queries.astype(np.float64) - base
    if measure in ("cosine", "centred", "csls"):
        asked = _units(asked)
    columns, penalty = _columns(table, measure, base, eligible, seed)
    wide = _augmented(asked, measure, float(penalty[0]) if measure == "euclidean" else 1.0)
    ids, _ = find_nearest(columns, _units(wide).astype(np.float32), k=k + SPARE, eligible=eligible, own=own)
    values = np.full(ids.shape, -np.inf)
    for start in range(0, len(ids), BLOCK):
        block = slice(start, start + BLOCK)
        values[block] = _values(table, asked[block], ids[block], measure, base, penalty)
    if measure == "csls" and len(asked):
        values -= _own_penalty(columns[:, :-1], asked, own, eligible, seed)[:, None]
    values[ids < 0] = -np.inf
    order = np.lexsort((ids, -values))[:, :k]
    ids, values = np.take_along_axis(ids, order, axis=1), np.take_along_axis(values, order, axis=1)
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    return Near(ids, values, TIE * (largest if measure in ("dot", "euclidean") else 1.0))


def _columns(
    table: TokenTable, measure: Measure, base: np.ndarray, eligible: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose inner products order as the measure does, (V, d or d + 1) with norms of 1 at most; and r (V,)."""
    none = np.zeros(0)
    if measure == "cosine":
        return unit_rows(table.vectors)[0], none
    if measure == "centred":
        return unit_rows(table.vectors - base.astype(np.float32))[0], none
    if measure == "csls":
        units = unit_rows(table.vectors)[0]
        penalty = _penalties(units, eligible, seed)
        return np.hstack([units, penalty[:, None].astype(np.float32)]) / np.float32(2), penalty
    norms = measure_norms(table.vectors)
    largest = max(float(norms[eligible].max(initial=0.0)), np.finfo(np.float32).tiny)
    scaled = (table.vectors / np.float32(largest)).astype(np.float32)
    if measure == "euclidean":
        half = ((norms / largest) ** 2 / 2).astype(np.float32)
        return np.hstack([scaled, np.minimum(half, 1)[:, None]]) / np.float32(2), np.array([largest])
    return scaled, none


def _augmented(asked: np.ndarray, measure: Measure, largest: float) -> np.ndarray:
    """Queries for those rows. Euclidean: q . x - ||x||^2 / 2, in units of the largest row; csls: 2 q . x - r(x)."""
    if measure == "euclidean":
        return np.hstack([asked / largest, np.full((len(asked), 1), -1.0)])
    if measure == "csls":
        return np.hstack([2 * asked, np.full((len(asked), 1), -1.0)])
    return asked


def _values(
    table: TokenTable, asked: np.ndarray, ids: np.ndarray, measure: Measure, base: np.ndarray, penalty: np.ndarray
) -> np.ndarray:
    """The measure between queries (m, d) and rows (m, k), in float64."""
    rows = table.vectors[np.maximum(ids, 0)].astype(np.float64) - base
    if measure == "euclidean":
        return -np.linalg.norm(rows - asked[:, None, :], axis=2)
    if measure != "dot":
        norms = np.linalg.norm(rows, axis=2, keepdims=True)
        rows = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    values = np.einsum("mkd,md->mk", rows, asked)
    if measure == "csls":
        return 2 * np.clip(values, -1, 1) - penalty[np.maximum(ids, 0)]
    return values if measure == "dot" else np.clip(values, -1, 1)


def _penalties(units: np.ndarray, eligible: np.ndarray, seed: int) -> np.ndarray:
    """r of every row: mean cosine with its nearest reference rows, itself left out."""
    references = _references(eligible, seed)
    own = np.full(len(units), -1, dtype=np.int64)
    own[references] = np.arange(len(references))
    return _mean_nearest(units[references], units, own)


def _own_penalty(
    columns: np.ndarray, asked: np.ndarray, own: np.ndarray, eligible: np.ndarray, seed: int
) -> np.ndarray:
    """r of the queries."""
    references = _references(eligible, seed)
    place = np.full(len(columns) + 1, -1, dtype=np.int64)
    place[references] = np.arange(len(references))
    return _mean_nearest(columns[references] * np.float32(2), asked.astype(np.float32), place[own])


def _references(eligible: np.ndarray, seed: int) -> np.ndarray:
    ids = np.flatnonzero(eligible)
    return (
        ids if len(ids) <= REFERENCES else np.sort(np.random.default_rng(seed).choice(ids, REFERENCES, replace=False))
    )


def _mean_nearest(references: np.ndarray, rows: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Mean cosine of each row with its nearest references, `own` (V,) its own place among them or -1; float32."""
    found, columns = np.zeros(len(rows)), torch.from_numpy(references).T
    k = min(HUBNESS_K, len(references) - 1)
    for start in range(0, len(rows) if k > 0 else 0, TOGETHER):
        block = slice(start, start + TOGETHER)
        cosines = torch.from_numpy(np.ascontiguousarray(rows[block])) @ columns
        has = np.flatnonzero(own[block] >= 0)
        cosines[torch.from_numpy(has), torch.from_numpy(own[block][has])] = -torch.inf
        found[block] = cosines.topk(k, dim=1, sorted=False).values.double().mean(dim=1).numpy()
    return found


def _mean(table: TokenTable) -> np.ndarray:
    rows = find_text_rows(table)
    return table.vectors[rows].astype(np.float64).mean(axis=0) if len(rows) else np.zeros(table.d)


def _units(rows: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
