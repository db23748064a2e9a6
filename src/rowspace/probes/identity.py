"""Can a token be told from its vector? Nearest row, or nearest mean state, and chance beside it.

A row is decoded as the token whose row lies nearest: itself, unless others have the same row, which share the hit. A
state is decoded as the token whose mean state in another part of the text lies nearest (Euclid), one occurrence a
token, so that a frequent token weighs as much as a rare one. Chance deals the tokens anew within their tenth by
frequency.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowspace.geometry.rows import measure_norms
from rowspace.probes.chance import Null, measure_matches
from rowspace.table import Missing

SAME = 1e-4
"""Rows that differ by less than this share of their length are one: SVD and float32 leave so much."""
DIRECTIONS = 8
LONG = 5.0
"""Lengths of a difference that it has along none of a few random directions."""
BLOCK = 512


@dataclass(frozen=True)
class Recovered:
    """Share of the `n` tokens that were recovered, and the null."""

    share: float | Missing
    null: Null | Missing
    n: int


def count_twins(vectors: np.ndarray) -> np.ndarray:
    """How many rows are the same as each, itself included: (V, d) -> (V,) int64. O(V d + V log V + twins of all).

    The difference of two rows has about its own length along any of the random directions: rows that lie apart along
    one of them are not the same. Neighbours are looked for along the first.
    """
    norms = measure_norms(vectors)
    directions = np.random.default_rng(0).standard_normal((vectors.shape[1], DIRECTIONS)).astype(np.float32)
    found = np.where(norms > 0, 1, np.count_nonzero(norms == 0))
    ids = np.flatnonzero(norms > 0)
    along = vectors[ids] @ directions
    order = np.argsort(along[:, 0], kind="stable")
    ids, along = ids[order], along[order]
    slack = LONG * SAME * norms[ids]
    for step in range(1, len(ids)):
        reach = np.maximum(slack[:-step], slack[step:])
        near = np.flatnonzero(along[step:, 0] - along[:-step, 0] <= reach)
        if not len(near):
            break
        same = near[(np.abs(along[near + step] - along[near]) <= reach[near, None]).all(axis=1)]
        np.add.at(found, ids[same], 1)
        np.add.at(found, ids[same + step], 1)
    return found


def recover_rows(vectors: np.ndarray, groups: np.ndarray) -> Recovered:
    """Rows (n, d) decoded by the nearest row; `groups` (n,) are their tenths by frequency. Equal rows share the hit."""
    if not len(vectors):
        none = Missing("no token has a row")
        return Recovered(none, none, 0)
    own = np.arange(len(vectors))
    return Recovered(float((1.0 / count_twins(vectors)).mean()), _null(own, own, groups), len(vectors))


def recover_states(states: np.ndarray, centroids: np.ndarray, groups: np.ndarray) -> Recovered:
    """States (n, d), one of each token, decoded by the nearest of the tokens' mean states (n, d) in another part of
    the text. A tie is a miss."""
    if len(states) < 2:
        none = Missing("fewer than two tokens stand in both parts of the text that was read")
        return Recovered(none, none, 0)
    found, own = find_nearest_centroids(states, centroids), np.arange(len(states))
    return Recovered(float((found == own).mean()), _null(found, own, groups), len(states))


def find_nearest_centroids(states: np.ndarray, centroids: np.ndarray) -> np.ndarray:
    """The centroid nearest to each state by Euclid, (m, d) and (n, d) -> (m,); -1 where two are as near."""
    wide = centroids.astype(np.float64)
    middle = wide.mean(axis=0)  # distances do not change, and their squares lose less to rounding
    wide -= middle
    squares = np.einsum("nd,nd->n", wide, wide)
    found = np.empty(len(states), dtype=np.int64)
    for start in range(0, len(states), BLOCK):
        block = states[start : start + BLOCK].astype(np.float64) - middle
        own = np.einsum("md,md->m", block, block)
        distances = squares - 2 * block @ wide.T
        nearest = distances.argmin(axis=1)
        least = distances[np.arange(len(block)), nearest]
        slack = SAME**2 * (own + squares[nearest])
        tied = (distances <= (least + slack)[:, None]).sum(axis=1) > 1
        found[start : start + BLOCK] = np.where(tied, -1, nearest)
    return found


def _null(found: np.ndarray, own: np.ndarray, groups: np.ndarray) -> Null:
    among = np.bincount(groups - groups.min())[groups - groups.min()]
    return measure_matches(found, own, groups, among)
