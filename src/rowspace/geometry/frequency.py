"""Frequency bands of the vocabulary, and what a number per row looks like along them.

The relation of norm and frequency is not monotone, so a curve over tenths of the vocabulary stands beside the one
rank correlation (and its sign is the finding: tied and output tables have it negative, input tables positive).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rowspace.geometry.rows import measure_norms
from rowspace.table import Missing, TokenTable

DECILES = 10
UNSEEN = 0
SPECIAL = -1


def find_deciles(table: TokenTable) -> np.ndarray | Missing:
    """Band of each id, (V,) int8: 1 the rarest tenth of the seen tokens ... 10 the commonest, 0 never seen, -1 special.

    Tenths hold equally many tokens, ordered by count and then by id; with fewer than ten seen tokens some are empty.
    """
    if table.counts is None:
        return Missing("nobody counted this table's tokens")
    counts = np.asarray(table.counts)
    bands = np.full(table.V, UNSEEN, dtype=np.int8)
    seen = counts > 0
    special = [id_ for id_ in table.special if id_ < table.V]
    seen[special] = False
    order = np.flatnonzero(seen)
    order = order[np.argsort(counts[order], kind="stable")]
    bands[order] = 1 + (np.arange(len(order)) * DECILES) // max(len(order), 1)
    bands[special] = SPECIAL
    return bands


def measure_by_decile(values: np.ndarray, deciles: np.ndarray) -> list[float | Missing]:
    """Mean of `values` (V,) within each decile, ten of them."""
    members = [values[deciles == decile] for decile in range(1, DECILES + 1)]
    return [float(np.mean(group)) if len(group) else Missing("no token falls into this tenth") for group in members]


def measure_spearman(x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray) -> float | Missing:
    """Rank correlation with average ranks for ties, in [-1, 1]; chance is 0."""
    if len(x) < 2:
        return Missing("a correlation needs two rows or more")
    a, b = _average_ranks(np.asarray(x)), _average_ranks(np.asarray(y))
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    if scale == 0:
        return Missing("every row has the same value: there is no order to compare")
    return float(np.clip(a @ b / scale, -1.0, 1.0))


def _average_ranks(values: np.ndarray) -> np.ndarray:
    _, inverse, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (last - (sizes - 1) / 2.0)[inverse]


@dataclass(frozen=True)
class Band:
    """One tenth of the vocabulary: how many tokens, and the range of their counts."""

    decile: int
    tokens: int
    count_low: int
    count_high: int


def find_bands(deciles: np.ndarray, counts: np.ndarray) -> list[Band]:
    """The tenths that hold a token, the rarest first."""
    members = [(decile, counts[deciles == decile]) for decile in range(1, DECILES + 1)]
    return [Band(decile, len(own), int(own.min()), int(own.max())) for decile, own in members if len(own)]


def find_norms_by_count(table: TokenTable, *, most: int = 1500) -> list[dict[str, Any]] | Missing:
    """How often a token was seen and how long its row is: token_id, token, count, decile, norm, relative (to the mean
    norm of seen text tokens), for at most `most` of them, evenly from the rarest to the commonest. Missing without
    counts."""
    deciles = find_deciles(table)
    if isinstance(deciles, Missing) or table.counts is None:
        return deciles if isinstance(deciles, Missing) else Missing("nobody counted this table's tokens")
    ids = np.flatnonzero(deciles > UNSEEN)
    norms = measure_norms(table.vectors)
    mean = float(norms[ids].mean()) if len(ids) else 0.0
    if mean == 0:
        return Missing("no token that was seen has a row other than zero")
    ids = ids[np.argsort(table.counts[ids], kind="stable")]
    kept = ids[np.unique(np.linspace(0, len(ids) - 1, min(most, len(ids))).round().astype(np.int64))]
    return [
        {"token_id": i, "token": table.tokens[i], "count": int(table.counts[i]), "decile": int(deciles[i])}
        | {"norm": float(norms[i]), "relative": float(norms[i] / mean)}
        for i in kept.tolist()
    ]
