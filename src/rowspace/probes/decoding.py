"""Can the frequency of a token be read from its vector? Ridge regression of log counts, cross-validated.

What is read of a row are its direction (the row at length 1) and the log of its length, so neither a rotation nor a
scale of the table matters. Weights are fitted on four fifths of the tokens and judged on the last one, five times; the
score is the mean rank correlation within the folds, 0 in a fold where all predictions are equal. Chance deals the
counts anew among the tokens and fits again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.stats import rankdata

from rowspace.geometry.rows import unit_rows
from rowspace.probes.chance import Null, from_draws
from rowspace.table import Missing

FOLDS = 5
DRAWS = 99
"""Dealings of the counts behind chance."""
RIDGE = 1.0
"""Penalty, as a multiple of the mean squared length of what is read: a direction that counts has far more of it."""
FEWEST = 4 * FOLDS
EQUAL = 6
"""Digits of a prediction, in standard deviations of the log counts, beyond which two are equal."""


@dataclass(frozen=True)
class Decoded:
    """Mean rank correlation within folds, in [-1, 1], and its null, over `n` tokens."""

    spearman: float | Missing
    null: Null | Missing
    n: int


def decode_counts(vectors: np.ndarray, counts: np.ndarray, *, seed: int) -> Decoded:
    """How well ln counts (n,) are read from rows (n, d). O(n^2 (n + d)); zero rows are left out."""
    units, norms = unit_rows(vectors)
    kept = (norms > 0) & (counts > 0)
    n = int(np.count_nonzero(kept))
    logs = np.log(counts[kept].astype(np.float64))
    if n < FEWEST or np.ptp(logs) == 0:
        few = f"fewer than {FEWEST} tokens have a row and a count" if n < FEWEST else "all tokens are as frequent"
        return Decoded(Missing(few), Missing(few), n)
    generator = np.random.default_rng(seed)
    target = (logs - logs.mean()) / logs.std()
    dealt = np.stack([target, *(generator.permutation(target) for _ in range(DRAWS))], axis=1)
    folds = np.array_split(generator.permutation(n), FOLDS)
    kernel = find_kernel(units[kept], norms[kept])
    found = np.mean([_judge(kernel, dealt, fold) for fold in folds], axis=0)
    return Decoded(float(found[0]), from_draws(found[1:], -1.0, 1.0), n)


def find_kernel(units: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """Inner products of what is read of each row: its direction, and the log of its length beside. (n, n) float64."""
    kernel = (units @ units.T).astype(np.float64)
    lengths = np.log(norms)
    spread = float(lengths.std())
    if spread > 1e-6:
        lengths = (lengths - lengths.mean()) / spread
        kernel += np.outer(lengths, lengths)
    return kernel


def _judge(kernel: np.ndarray, targets: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Rank correlation in the fold of each column of targets (n, k) with what the other folds predict: (k,)."""
    rest = np.setdiff1d(np.arange(len(kernel)), fold)
    inside, across = kernel[np.ix_(rest, rest)], kernel[np.ix_(fold, rest)]
    mean = inside.mean(axis=0)
    centred = inside - mean - mean[:, None] + mean.mean()
    beyond = across - across.mean(axis=1, keepdims=True) - mean + mean.mean()
    penalty = RIDGE * max(float(np.trace(centred)) / len(rest), 1e-12)
    centred[np.diag_indices(len(rest))] += penalty
    weights = cho_solve(cho_factor(centred, overwrite_a=True), targets[rest] - targets[rest].mean(axis=0))
    predicted = rankdata(np.round(beyond @ weights, EQUAL), axis=0)
    known = rankdata(targets[fold], axis=0)
    predicted -= predicted.mean(axis=0)
    known -= known.mean(axis=0)
    scale = np.sqrt((predicted**2).sum(axis=0) * (known**2).sum(axis=0))
    return (predicted * known).sum(axis=0) / np.where(scale > 0, scale, np.inf)
