"""Does a state know the sense of its word? Accuracy, separation, silhouette, shift to anchors.

Sentences come in sets that are matched but for the sense (`occurrences.py`). So nothing within a set is compared, and
nor are two sentences that share a telling token, one that few sentences of some sense have: any mixture of the tokens
before, a random one too, would find those alike without knowing a meaning. What the sets share, a position or the words
before the target, then favours no sense: chance is about 1 / senses, and 0 for separation. The null exchanges the
labels within each set, all ways where these are few, else at random. A table that gives every occurrence the same state
scores exactly chance.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from rowspace.probes.chance import TAIL, Null

SAME = 1e-6
"""States that differ from their mean by less than this share of its length are equal, in float32."""
ROUNDING = 1e-9
COMMON = 1 / 3
"""A token that more of the sentences of each sense have tells none."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """Occurrences of a word: the sense and the set of each, (n,) int64; `apart` (n, n) bool: which may be compared."""

    senses: np.ndarray
    sets: np.ndarray
    apart: np.ndarray

    @property
    def comparable(self) -> bool:
        """There are two senses, and of each two sentences that may be compared."""
        of = [self.apart[np.ix_(own, own)].any() for own in (self.senses == each for each in np.unique(self.senses))]
        return len(of) > 1 and all(of)


def find_apart(sets: np.ndarray, senses: np.ndarray, seen: Sequence[Collection[int]]) -> np.ndarray:
    """Which occurrences may be compared, (n, n) bool: of different sets, and without a telling token in common.

    `seen` are the ids that each state may have read, without the word itself. A token is telling unless more than a
    third of the sentences of every sense have it: one that all sentences of a sense have, and no others, tells it best.
    """
    ids = sorted(set().union(*seen))
    held = np.array([[id_ in each for id_ in ids] for each in map(frozenset, seen)], dtype=np.float64)
    shares = np.array([held[senses == each].mean(axis=0) for each in np.unique(senses)])
    telling = held[:, shares.min(axis=0) <= COMMON]
    return (sets[:, None] != sets[None]) & (telling @ telling.T == 0)


@dataclass(frozen=True, eq=False)
class Labelings:
    """Labels exchanged within sets, (P, n) int64, the true ones first; `exact`: all there are."""

    labels: np.ndarray
    exact: bool

    def p_value(self, found: np.ndarray) -> float:
        """Share of labelings with at least the value of the true one; those drawn count the true one too."""
        return float((found >= found[0] - ROUNDING).mean())


def find_labelings(known: Labelled, *, most: int, seed: int) -> Labelings:
    """Every exchange of labels within sets where there are at most `most`, else the true one and `most` at random."""
    places = [np.flatnonzero(known.sets == one) for one in np.unique(known.sets)]
    held = [known.senses[place].tolist() for place in places]
    n_ways = [
        math.factorial(len(one)) // math.prod(math.factorial(one.count(each)) for each in set(one)) for one in held
    ]
    exact = math.prod(n_ways) <= most
    if exact:
        ways = [sorted(set(permutations(one)), key=lambda way, true=tuple(one): way != true) for one in held]
        rows = [[label for way in combined for label in way] for combined in product(*ways)]
        chosen = np.array(rows, dtype=np.int64)
    else:
        generator = np.random.default_rng(seed)
        drawn = [generator.permuted(np.tile(one, (most, 1)), axis=1) for one in held]
        chosen = np.vstack([np.concatenate(held)[None], np.hstack(drawn)]).astype(np.int64)
    labels = np.empty_like(chosen)
    labels[:, np.concatenate(places)] = chosen
    return Labelings(labels, exact)


def centre(rows: np.ndarray) -> np.ndarray:
    """Rows (n, d) less their mean, at length 1, float64. Those equal to the mean up to rounding become zero."""
    wide = rows.astype(np.float64)
    size = np.linalg.norm(wide, axis=1).max(initial=0.0)
    wide -= wide.mean(axis=0)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    return np.where(norms > SAME * size, wide / np.where(norms > 0, norms, 1.0), 0.0)


def measure_senses(units: np.ndarray, apart: np.ndarray, labelings: Labelings) -> tuple[np.ndarray, np.ndarray]:
    """Separation and share of right senses under each labeling, (P,) and (P,); the first is the true one.

    `units` (n, d) rows of `centre`, `apart` (n, n) which of them may be compared. Separation: mean cosine of pairs of
    one sense less that of pairs of two. Right: of the centroids of the senses, each of what the occurrence may be
    compared with, that of its own has the largest product with it; where several do, as large a share. The product is
    the mean cosine; a distance would shun the sense with fewer to compare, whose centroid is longer by chance.
    """
    gram, one_hot = units @ units.T, _one_hot(labelings.labels)
    closeness = _closeness(gram, apart, one_hot)
    own = np.take_along_axis(closeness, labelings.labels.T[:, :, None], axis=2)[:, :, 0]
    nearest = closeness.max(axis=2)
    tied = (closeness >= nearest[:, :, None] - ROUNDING).sum(axis=2)
    right = (own >= nearest - ROUNDING) & np.isfinite(nearest)
    return _separations(gram * apart, apart.astype(np.float64), one_hot), (right / tied).mean(axis=0)


def measure_silhouette(units: np.ndarray, apart: np.ndarray, labelings: Labelings) -> np.ndarray:
    """Mean silhouette of the senses under each labeling, (P,), in [-1, 1] (Rousseeuw 1987); arguments as above.

    (b - a) / max(a, b): a is the mean cosine distance of an occurrence to those of its own sense that it may be
    compared with, b that to the nearest of the other senses. 0 where there is none of either, as for a sense alone.
    """
    distances = 1 - _closeness(units @ units.T, apart, _one_hot(labelings.labels))  # inf for none
    own = labelings.labels.T[:, :, None] == np.arange(distances.shape[2])
    a = distances.min(axis=2, where=own, initial=np.inf)
    b = distances.min(axis=2, where=~own, initial=np.inf)
    known = np.isfinite(a) & np.isfinite(b)
    a, b = np.where(known, a, 0.0), np.where(known, b, 0.0)
    larger = np.maximum(a, b)
    return ((b - a) / np.where(larger > ROUNDING, larger, np.inf)).mean(axis=0)


def find_verdicts(units: np.ndarray, known: Labelled) -> np.ndarray:
    """The sense that is nearest to each occurrence, (n,); -1 where several are or none can be told."""
    closeness = _closeness(units @ units.T, known.apart, _one_hot(known.senses[None]))[:, 0]
    nearest = closeness.max(axis=1, keepdims=True)
    near = (closeness >= nearest - ROUNDING) & np.isfinite(nearest)
    return np.where(near.sum(axis=1) == 1, near.argmax(axis=1), -1)


def measure_shift(units: np.ndarray, anchors: np.ndarray, weights: np.ndarray, labelings: Labelings) -> np.ndarray:
    """Cosine to the anchors of the own sense less the mean of those to the others', averaged, under each labeling (P,).

    `units` (n, d) as above; `anchors` (a, d) states of anchor words; `weights` (n, senses, a) which of them count for
    each occurrence and sense. An occurrence without an anchor of every sense counts 0.
    """
    counts = weights.sum(axis=2)
    means = weights @ anchors / np.maximum(counts, 1)[:, :, None]
    means -= means.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(means, axis=2)
    cosines = np.einsum("nd,nkd->nk", units, means) / np.where(norms > 0, norms, 1.0)
    cosines[(counts == 0).any(axis=1)] = 0.0
    K = counts.shape[1]
    gained = cosines - (cosines.sum(axis=1, keepdims=True) - cosines) / (K - 1)
    return gained[np.arange(len(units)), labelings.labels].mean(axis=1)


def pool(
    found: Sequence[np.ndarray], weights: Sequence[float], together: Sequence[int], *, draws: int, seed: int
) -> tuple[float, Null, float]:
    """The weighted mean of several words' true values, its null, and the share of the null that reaches it.

    `found` (P,) of each word, the true value first. The null draws a labeling of each word, and the same of those with
    one number in `together`: words that stand in one another's sentences are right or wrong by the same luck.
    """
    shares = np.asarray(weights, dtype=np.float64) / np.sum(weights)
    generator = np.random.default_rng(seed)
    total, drawn = np.zeros(draws), {}
    for share, one, number in zip(shares, found, together, strict=True):
        if number not in drawn:
            drawn[number] = generator.integers(len(one), size=draws)
        total += share * one[drawn[number]]
    value = float(sum(share * one[0] for share, one in zip(shares, found, strict=True)))
    chance = float(sum(share * one.mean() for share, one in zip(shares, found, strict=True)))
    low, high = (float(each) for each in np.quantile(total, [TAIL, 1 - TAIL]))
    reached = (1 + int((total >= value - ROUNDING).sum())) / (1 + draws)
    return value, Null(chance, min(low, chance) - ROUNDING, max(high, chance) + ROUNDING), reached


def gather(rows: np.ndarray, places: Sequence[Sequence[int]]) -> np.ndarray:
    """The mean of the rows at each of `places`: (N, d) -> (n, d) float64. A word of several pieces is their mean."""
    counts = np.array([len(each) for each in places])
    flat = rows[np.concatenate([np.asarray(each, dtype=np.int64) for each in places])].astype(np.float64)
    if (counts == 1).all():
        return flat
    return np.add.reduceat(flat, np.cumsum(counts) - counts, axis=0) / counts[:, None]


def _one_hot(labels: np.ndarray) -> np.ndarray:
    """(P, n) -> (n, P, K) float64."""
    return (labels.T[:, :, None] == np.arange(labels.max() + 1)).astype(np.float64)


def _times(matrix: np.ndarray, one_hot: np.ndarray) -> np.ndarray:
    """(m, n) and (n, P, K) -> (m, P, K)."""
    return (matrix @ one_hot.reshape(len(one_hot), -1)).reshape(len(matrix), *one_hot.shape[1:])


def _separations(cosines: np.ndarray, apart: np.ndarray, one_hot: np.ndarray) -> np.ndarray:
    alike = np.einsum("npk,npk->p", _times(cosines, one_hot), one_hot)
    n_alike = np.einsum("npk,npk->p", _times(apart, one_hot), one_hot)
    n_other = apart.sum() - n_alike
    return alike / np.maximum(n_alike, 1) - (cosines.sum() - alike) / np.maximum(n_other, 1)


def _closeness(gram: np.ndarray, apart: np.ndarray, one_hot: np.ndarray) -> np.ndarray:
    """Mean cosine of each occurrence to those of each sense that it may be compared with: (n, P, K), -inf for none."""
    counts, sums = _times(apart.astype(np.float64), one_hot), _times(gram * apart, one_hot)
    return np.where(counts > 0, sums / np.maximum(counts, 1), -np.inf)
