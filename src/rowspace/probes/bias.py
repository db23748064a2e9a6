"""Does the bias of a head hold how often each token occurs? Correlations of b with log counts.

Before a word of context is read, the best logit of a token is its log frequency up to a constant, and a bias can hold
it. Only tokens that occur count: log 0 is no number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowspace.geometry.frequency import measure_spearman
from rowspace.probes.chance import Null, Z
from rowspace.table import Missing


@dataclass(frozen=True)
class BiasFrequency:
    """Spearman and Pearson correlation of bias and log count over `n` tokens, in [-1, 1], and the null of both."""

    spearman: float | Missing
    pearson: float | Missing
    null: Null | Missing
    n: int


def measure_bias(bias: np.ndarray | None, counts: np.ndarray | None, special: frozenset[int]) -> BiasFrequency:
    """`bias` and `counts` (V,). A permutation's correlation has mean 0 and variance 1 / (n - 1), exactly."""
    if bias is None:
        return _none("the head has no bias")
    if counts is None:
        return _none("nobody counted this table's tokens")
    kept = np.asarray(counts) > 0
    kept[[id_ for id_ in special if id_ < len(kept)]] = False
    n = int(kept.sum())
    if n < 3:
        return _none("fewer than three tokens occur")
    b, logs = np.asarray(bias, dtype=np.float64)[kept], np.log(np.asarray(counts, dtype=np.float64)[kept])
    spearman = measure_spearman(b, logs)
    if isinstance(spearman, Missing):
        return _none("every bias or every count is the same")
    b, logs = b - b.mean(), logs - logs.mean()
    pearson = float(b @ logs / np.sqrt((b @ b) * (logs @ logs)))
    half = min(Z / float(np.sqrt(n - 1)), 1.0)
    return BiasFrequency(spearman, pearson, Null(0.0, -half, half), n)


def _none(reason: str) -> BiasFrequency:
    missing = Missing(reason)
    return BiasFrequency(missing, missing, missing, 0)
