"""How much a word's states differ from one context to another, and how much of that is no news.

Self-similarity, intra-sentence similarity and maximum explainable variance of Ethayarajh (EMNLP 2019), each less what
random occurrences have anyway: in a narrow cone every two states are alike. Cosines; MEV is not centred, as in the
paper (his code centres). All sums in float64.
"""

from __future__ import annotations

import numpy as np

from rowspace.geometry.direction import measure_mean_cosine
from rowspace.table import Missing


def measure_self_similarity(rows: np.ndarray) -> float | Missing:
    """Mean cosine over all pairs of occurrences (n, d). Exactly 1 where all rows are one and the same."""
    if len(rows) > 1 and rows[0].any() and (rows == rows[0]).all():
        return 1.0
    return measure_mean_cosine(rows, centred=False)


def measure_mev(rows: np.ndarray) -> float | Missing:
    """Maximum explainable variance: sigma_1^2 / sum sigma^2 of the occurrences (n, d), not centred, in [1 / n, 1].

    A single vector explains that share of them, at most. 1 for a single row, which says nothing.
    """
    if not len(rows):
        return Missing("there is no occurrence")
    largest = np.abs(rows).max()
    if largest == 0:
        return Missing("every occurrence is zero")
    scaled = rows.astype(np.float64) / largest
    gram = scaled @ scaled.T if len(scaled) < scaled.shape[1] else scaled.T @ scaled
    return float(np.linalg.eigvalsh(gram)[-1] / np.trace(gram))


def measure_intra_sentence(rows: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """For each sentence the mean cosine of its tokens' states with their mean: (N, d), (S,) -> (S,).

    `lengths` (S,) tokens of each sentence, one after another in `rows`. Zero vectors have cosine 0. A sentence of one
    token has 1, which says nothing: report how many there are.
    """
    if not len(lengths):
        return np.zeros(0)
    wide = rows.astype(np.float64)
    first = np.cumsum(lengths) - lengths
    means = np.add.reduceat(wide, first, axis=0) / lengths[:, None]
    of = np.repeat(means, lengths, axis=0)
    norms = np.linalg.norm(wide, axis=1) * np.linalg.norm(of, axis=1)
    cosines = np.einsum("nd,nd->n", wide, of) / np.where(norms > 0, norms, 1.0)
    return np.add.reduceat(cosines, first) / lengths


def draw_occurrences(sentences: np.ndarray, eligible: np.ndarray, *, seed: int) -> np.ndarray:
    """One eligible token of each sentence at random: indices (s,) into the tokens, for baselines.

    `sentences` (N,) number of each token's sentence, `eligible` (N,) bool. Drawing a sentence first keeps long ones
    from counting more.
    """
    places = np.flatnonzero(eligible)
    order = places[np.random.default_rng(seed).permutation(len(places))]
    _, first = np.unique(sentences[order], return_index=True)
    return order[first]


def measure_mev_baseline(rows: np.ndarray, size: int, *, draws: int, seed: int) -> float | Missing:
    """Mean MEV of `draws` random groups of `size` rows of (n, d): MEV falls with the size of a group."""
    if len(rows) < size or not rows.any():
        return Missing("fewer random occurrences than occurrences of the word")
    generator = np.random.default_rng(seed)
    found = (measure_mev(rows[generator.permutation(len(rows))[:size]]) for _ in range(draws))
    return float(np.mean([value for value in found if not isinstance(value, Missing)]))
