"""How far states have moved from the rows that they began as: neighbours of both, and the cosine to the own row."""

from __future__ import annotations

import numpy as np

from rowspace.geometry.nearest import find_nearest
from rowspace.geometry.rows import unit_rows
from rowspace.table import Missing


def find_neighbour_ids(rows: np.ndarray, k: int) -> np.ndarray:
    """The k nearest of the other rows by cosine, (n, d) -> (n, k'), k' = min(k, n - 1); -1 where there are fewer."""
    units, norms = unit_rows(rows)
    own = np.arange(len(rows))
    ids, _ = find_nearest(units, units, k=min(k, max(len(rows) - 1, 1)), eligible=norms > 0, own=own)
    return np.where(norms[:, None] > 0, ids, -1)


def measure_overlap(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """|A n B| / k for each row of two lists of neighbours (n, k), in [0, 1]. Chance is k / (n - 1)."""
    return ((one[:, :, None] == other[:, None, :]) & (one[:, :, None] >= 0)).any(axis=2).mean(axis=1)


def measure_own_row(states: np.ndarray, rows: np.ndarray, *, seed: int) -> tuple[float, float] | Missing:
    """Mean cosine of states (N, d) to the rows that they began as (N, d), and to rows of other tokens, at random.

    The square of a cosine is the share of the state's energy that the row explains.
    """
    own, other = _cosines(states, rows), _cosines(states, rows[_elsewhere(len(rows), seed)])
    if not len(own) or not len(other):
        return Missing("no state has a direction")
    return float(own.mean()), float(other.mean())


def _elsewhere(n: int, seed: int) -> np.ndarray:
    """A place other than its own for each of n, all places used: a rotation of a random order."""
    order = np.random.default_rng(seed).permutation(n)
    moved = np.empty(n, dtype=np.int64)
    moved[order] = np.roll(order, 1)
    return moved


def _cosines(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    one, other = one.astype(np.float64), other.astype(np.float64)
    norms = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return (np.einsum("nd,nd->n", one, other)[norms > 0]) / norms[norms > 0]
