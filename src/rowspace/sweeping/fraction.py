"""A few arms of a grid, chosen so that what each axis does can still be told: a D-optimal fraction.

X has a row an arm: 1, the main effects of every axis (levels less one columns of zero sum), and their products two by
two. The chosen rows make det(X'X + K) large by exchange (Fedorov 1972), from several seeded starts; K is 0 for main
effects and 1 for interactions, which so take what freedom is left, however many they are (DuMouchel & Jones 1994).
Efficiency: (det(M'M / n) / det(F'F / N))^(1/p) with M and F the p columns of mean and main effects in the fraction and
in the whole grid; 1 says that a run of the fraction tells as much about them as a run of the grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rowspace.errors import ConfigError, Problem

STARTS = 6
EXCHANGES = 400
"""Exchanges after which a start is taken as it is; designs of some sixty arms settle within a hundred."""


@dataclass(frozen=True)
class Fraction:
    """`chosen` indices of arms in the grid's order; `efficiency` of main effects; which pairs of axes can be told."""

    chosen: tuple[int, ...]
    efficiency: float
    pairs: tuple[tuple[int, int], ...]
    all_pairs: int

    def sentence(self, of: int) -> str:
        """What a reader has to know of it."""
        told = f"{len(self.pairs)} of {self.all_pairs} two-way interactions" if self.all_pairs else "one axis"
        return (
            f"fraction: {len(self.chosen)} of {of} arms, D-efficiency {self.efficiency:.1%} of the whole grid's for "
            f"main effects; estimable beside them: {told}"
        )


def choose(codes: Sequence[Sequence[int]] | np.ndarray, arms: int, *, seed: int = 0) -> Fraction:
    """`arms` of the rows of `codes` (N, axes), levels as small whole numbers; the same for the same arguments.

    ConfigError where so few arms cannot tell the main effects apart.
    """
    levels = np.asarray(codes, dtype=np.int64)
    columns = [_columns(levels[:, axis]) for axis in range(levels.shape[1])]
    main = np.hstack([np.ones((len(levels), 1)), *columns])
    rank = int(np.linalg.matrix_rank(main))
    if arms < rank:
        given = f"{arms} was given"
        right = f"at least {rank} arms, or the {levels.shape[1]} axes' main effects cannot be told apart"
        raise ConfigError(Problem("fraction", given, right))
    products = {(a, b): _products(columns[a], columns[b]) for a, b in combinations(range(len(columns)), 2)}
    whole = np.hstack([main, *products.values()]) if products else main
    prior = np.diag(np.concatenate([np.full(main.shape[1], 1e-6), np.ones(whole.shape[1] - main.shape[1])]))
    if arms >= len(levels):
        chosen = np.arange(len(levels))
    else:
        draws = [_exchange(whole, prior, arms, np.random.Generator(np.random.PCG64([seed, i]))) for i in range(STARTS)]
        chosen = max(draws, key=lambda found: (round(_size(whole[found], prior), 9), tuple(-found)))
    if np.linalg.matrix_rank(main[chosen]) < rank:
        raise ConfigError(Problem("fraction", f"{arms} was given", f"more arms, {2 * rank} say"))
    pairs = _estimable(main[chosen], {pair: block[chosen] for pair, block in products.items()})
    efficiency = _efficiency(main, chosen, rank)
    return Fraction(tuple(chosen.tolist()), efficiency, pairs, len(products))


def _columns(codes: np.ndarray) -> np.ndarray:
    """Orthogonal contrasts of one axis's levels (N, levels - 1), of unit variance where levels are balanced."""
    _, place = np.unique(codes, return_inverse=True)
    count = int(place.max()) + 1
    basis = np.linalg.qr(np.hstack([np.ones((count, 1)), np.eye(count)[:, 1:]]))[0][:, 1:]
    return basis[place] * np.sqrt(count)


def _products(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)


def _size(rows: np.ndarray, prior: np.ndarray) -> float:
    return float(np.linalg.slogdet(rows.T @ rows + prior)[1])


def _exchange(whole: np.ndarray, prior: np.ndarray, arms: int, random: np.random.Generator) -> np.ndarray:
    """Swap the arm inside against the arm outside that raises the determinant most, until none does.

    The ratio of determinants is (1 + d_j)(1 - d_i) + d_ij^2 for arm j in and i out, with d = x' (X'X + K)^-1 x.
    """
    inside = np.sort(random.permutation(len(whole))[:arms])
    for _ in range(EXCHANGES):
        rows = whole[inside]
        spread = np.linalg.inv(rows.T @ rows + prior)
        across = whole @ spread @ rows.T
        gain_in, gain_out = np.einsum("ij,jk,ik->i", whole, spread, whole), np.einsum("ij,jk,ik->i", rows, spread, rows)
        ratio = (1 + gain_in)[:, None] * (1 - gain_out)[None, :] + across**2
        ratio[inside] = 0
        # rounded, so that machines whose sums differ in the last digit choose alike
        best_in, best_out = np.unravel_index(int(np.argmax(ratio.round(8))), ratio.shape)
        if ratio[best_in, best_out] < 1 + 1e-7:
            break
        inside[best_out] = best_in
        inside.sort()
    return inside


def _estimable(main: np.ndarray, products: dict[tuple[int, int], np.ndarray]) -> tuple[tuple[int, int], ...]:
    """Pairs of axes whose interactions can all be told from main effects and from those before them."""
    kept, rank, found = main, int(np.linalg.matrix_rank(main)), []
    for pair, block in products.items():
        more = np.hstack([kept, block])
        grown = int(np.linalg.matrix_rank(more))
        if grown == rank + block.shape[1]:
            kept, rank = more, grown
            found.append(pair)
    return tuple(found)


def _efficiency(main: np.ndarray, chosen: Sequence[int] | np.ndarray, rank: int) -> float:
    """Over the space that the grid itself spans: some contrasts do not exist where points are left out."""
    span = np.linalg.svd(main, full_matrices=False)[2][:rank].T
    sizes = [np.linalg.slogdet(part.T @ part / len(part))[1] for part in (main[chosen] @ span, main @ span)]
    return float(np.exp((sizes[0] - sizes[1]) / rank))
