"""Do cosines order pairs of words as people do? Spearman's rho with the ratings of people.

Average ranks for ties; a bootstrap over pairs says how far another choice of pairs might move it, and a permutation of
the ratings where a table that knows nothing falls. A pair counts where both words have a row; the share that does is
said, since rho over the covered pairs speaks of those alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from rowspace.geometry.frequency import measure_spearman
from rowspace.probes.chance import TAIL, Null
from rowspace.probes.neighbours import find_eligible
from rowspace.probes.words import Word
from rowspace.table import Missing, TokenTable

BLOCK = 500
NEEDED = 3
"""Pairs that a correlation needs at the least."""


@dataclass(frozen=True, eq=False)
class Similarity:
    """`rows` of the pairs that counted: one, other, rating, cosine, policies. `rho` in [-1, 1], its 95 % interval `low`
    to `high` over pairs, and the null."""

    rows: list[dict[str, Any]]
    rho: float | Missing
    low: float | Missing
    high: float | Missing
    null: Null | Missing


def measure_similarity(
    table: TokenTable, rated: Sequence[tuple[Word, Word, float]], *, resamples: int, seed: int
) -> Similarity:
    """Spearman of ratings and cosines over the pairs whose words have rows that point somewhere."""
    eligible = find_eligible(table)
    rows = []
    for one, other, rating in rated:
        if one.ids and other.ids and eligible[[*one.ids, *other.ids]].all():
            cosine = _cosine(table, one, other)
            if cosine is not None:
                words = {"one": one.word, "other": other.word, "rating": rating, "cosine": cosine}
                rows.append({**words, "one_policy": one.policy, "other_policy": other.policy})
    ratings = np.array([row["rating"] for row in rows], dtype=np.float64)
    cosines = np.round([row["cosine"] for row in rows], 12)
    rho = measure_spearman(ratings, cosines) if len(rows) >= NEEDED else Missing("fewer than three pairs have rows")
    if isinstance(rho, Missing):
        return Similarity(rows, rho, rho, rho, rho)
    generator = np.random.default_rng(seed)
    drawn = _bootstrap(ratings, cosines, resamples, generator)
    low, high = np.quantile(drawn, [0.025, 0.975]) if len(drawn) else (rho, rho)
    return Similarity(rows, rho, float(low), float(high), _permuted(ratings, cosines, resamples, generator))


def _cosine(table: TokenTable, one: Word, other: Word) -> float | None:
    a, b = (table.vectors[list(word.ids)].astype(np.float64).mean(axis=0) for word in (one, other))
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.clip(a @ b / size, -1, 1)) if size > 0 else None


def _bootstrap(x: np.ndarray, y: np.ndarray, resamples: int, generator: np.random.Generator) -> np.ndarray:
    """Rank correlations of pairs drawn with replacement; draws in which all are alike are left out."""
    found = []
    for start in range(0, resamples, BLOCK):
        drawn = generator.integers(len(x), size=(min(BLOCK, resamples - start), len(x)))
        a, b = (rankdata(values[drawn], axis=1) for values in (x, y))
        a, b = (ranks - ranks.mean(axis=1, keepdims=True) for ranks in (a, b))
        scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
        found.append((a * b).sum(axis=1)[scale > 0] / scale[scale > 0])
    return np.concatenate(found)


def _permuted(x: np.ndarray, y: np.ndarray, resamples: int, generator: np.random.Generator) -> Null:
    """Where rho falls 998 times of 1000 when the ratings are dealt anew; at least 5,000 times."""
    a, b = (rankdata(values) - (len(values) + 1) / 2 for values in (x, y))
    scale = np.sqrt((a @ a) * (b @ b))
    found = []
    for _ in range(0, max(resamples, 5000), BLOCK):
        found.append(generator.permuted(np.tile(a, (BLOCK, 1)), axis=1) @ b / scale)
    low, high = np.quantile(np.concatenate(found), [TAIL, 1 - TAIL])
    return Null(0.0, float(low), float(high))
