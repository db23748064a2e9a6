"""The mathematics of word2vec with negative sampling, in float64: pairs, draws, loss, gradients, and the optimum.

What gensim does inside, written out, so that its results can be held against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rowspace.ladder.base import Rung
from rowspace.table import Missing


@dataclass(frozen=True, eq=False)
class Step:
    """Loss of one real pair with its drawn ones, in nats, and the gradients of each vector."""

    loss: float
    of_token: np.ndarray
    of_context: np.ndarray
    of_drawn: np.ndarray


@dataclass(frozen=True)
class Shift:
    """How products w . c lie to PMI over `cells` pairs: correlation, and the mean of w . c - PMI, which is -ln k at the
    optimum of skip-gram with k negatives."""

    pearson: float
    mean_difference: float
    cells: int


def find_pairs(ids: Sequence[int], window: int) -> list[tuple[int, int]]:
    """(token, neighbour) of one document in reading order, each neighbour at most `window` away."""
    return [
        (ids[at], ids[near])
        for at in range(len(ids))
        for near in range(max(0, at - window), min(len(ids), at + window + 1))
        if near != at
    ]


def find_noise(counts: np.ndarray, exponent: float) -> np.ndarray:
    """Probabilities (V,) by which negatives are drawn: counts to the power `exponent`; 0 for what never occurs."""
    powers = np.zeros(len(counts))
    powers[counts > 0] = counts[counts > 0].astype(np.float64) ** exponent
    return powers / powers.sum()


def find_keeping(shares: np.ndarray, threshold: float) -> np.ndarray:
    """Probability that a token with this share of the text is read: min(1, (sqrt(f / t) + 1) t / f), as the first
    program and gensim have it; the paper writes sqrt(t / f)."""
    if threshold == 0:
        return np.ones(len(shares))
    return np.minimum(1.0, (np.sqrt(shares / threshold) + 1) * threshold / shares)


def find_kept(counts: np.ndarray, threshold: float) -> float:
    """Share of a text that is read, on average, of tokens that occur `counts` > 0 times."""
    shares = counts / counts.sum()
    return float(shares @ find_keeping(shares, threshold))


def find_step(token: np.ndarray, context: np.ndarray, drawn: np.ndarray) -> Step:
    """-ln sigmoid(w . c) - sum_i ln sigmoid(-w . n_i), `drawn` (k, d), and its gradients."""
    real, noise = token @ context, drawn @ token
    of_real, of_noise = -_sigmoid(-real), _sigmoid(noise)
    loss = float(np.logaddexp(0, -real) + np.logaddexp(0, noise).sum())
    return Step(loss, of_real * context + of_noise @ drawn, of_real * token, of_noise[:, None] * token)


def find_optimum(pair: float, token: float, context: float, total: float, negatives: int) -> float:
    """w . c of one cell, were d unlimited: PMI - ln k, of #(w, c), #(w), #(c) and all pairs (Levy & Goldberg 2014)."""
    return float(np.log(pair * total / (token * context)) - np.log(negatives))


def measure_shift(rung: Rung, ids: np.ndarray, pmi: np.ndarray, cells: np.ndarray) -> Shift | Missing:
    """Products of rows `ids` (n,) with their contexts, against `pmi` (n, n) in nats where `cells` (n, n) says so."""
    if "contexts" not in rung.others:
        return Missing("this rung has no vectors of contexts")
    rows, contexts = rung.table.vectors[ids], rung.others["contexts"].vectors[ids]
    kept = cells & np.isfinite(pmi)
    products, known = (rows.astype(np.float64) @ contexts.T.astype(np.float64))[kept], pmi[kept]
    if len(known) < 3 or not products.std() or not known.std():
        return Missing("fewer than three pairs of tokens differ")
    pearson = float(np.corrcoef(products, known)[0, 1])
    return Shift(pearson, float((products - known).mean()), len(known))


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.exp(-np.logaddexp(0, -x))
