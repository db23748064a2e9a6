"""Least squares with factors: which contrasts a design can tell, their estimates, sums of squares, and what is left.

Factors are coded one column a level, so that no level is special; contrasts that the runs cannot tell are found from
the row space (Searle 1971, Linear Models, estimability) and never solved for. Knows nothing of runs or metrics.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import qr

Term = tuple[str, ...]
"""A main effect ("position",) or an interaction ("position", "head.tie")."""
TOLERANCE = 1e-9


def basis(X: np.ndarray) -> np.ndarray:
    """Orthonormal columns (n, rank) that span those of X (n, p)."""
    found: Any = qr(X, mode="economic", pivoting=True)
    Q, R, _ = found
    diagonal = np.abs(np.diag(R))
    return Q[:, : int((diagonal > TOLERANCE * max(X.shape) * diagonal.max(initial=0.0)).sum())]


class Model:
    """X (n, p) with what it can tell."""

    def __init__(self, X: np.ndarray) -> None:
        self.X = X
        U, sigma, Vt = np.linalg.svd(X, full_matrices=False)
        self.rank = int((sigma > TOLERANCE * max(X.shape) * sigma.max(initial=0.0)).sum())
        self._U, self._sigma, self._rows = U[:, : self.rank], sigma[: self.rank], Vt[: self.rank]

    def untold(self, contrasts: np.ndarray) -> np.ndarray:
        """What of contrasts (c, p) is no combination of rows of X: zero for those that can be estimated."""
        return contrasts - (contrasts @ self._rows.T) @ self._rows

    def weights(self, contrasts: np.ndarray) -> np.ndarray:
        """(c, n): the estimate of a contrast is its weights times y, its standard error their norm times sigma."""
        return (contrasts @ self._rows.T / self._sigma) @ self._U.T

    def unexplained(self, y: np.ndarray) -> float:
        """Sum of squares that is left of y (n,)."""
        return squares_left(self._U, y)


def squares_left(Q: np.ndarray, y: np.ndarray) -> float:
    """Sum of squares of y (n,) outside of the columns of Q; exactly 0 where that is rounding."""
    left = float(((y - Q @ (Q.T @ y)) ** 2).sum())
    return left if left > 1e-24 * float((y**2).sum()) else 0.0


class Design:
    """Runs by their levels: `columns` has one value a run for each factor, `blocks` the seeds, where they are whole."""

    def __init__(self, columns: Mapping[str, Sequence[Hashable]], blocks: Sequence[Hashable] | None = None) -> None:
        self.levels = {key: list(dict.fromkeys(values)) for key, values in columns.items()}
        self.n = len(next(iter(columns.values())))
        self._columns = columns
        self._fixed = [np.ones((self.n, 1))]
        if blocks is not None:
            self._fixed.append(_one_hot(blocks, list(dict.fromkeys(blocks))))
        self._blocks = 0 if blocks is None else len(set(blocks)) - 1
        first: dict[tuple[Hashable, ...], int] = {}
        for number, cell in enumerate(zip(*columns.values(), strict=True)):
            first.setdefault(cell, number)
        self._arms = list(first.values())

    def cells(self, term: Term) -> list[tuple[Hashable, ...]]:
        """What each run is at, for a term."""
        return list(zip(*(self._columns[key] for key in term), strict=True))

    def combinations(self, term: Term) -> list[tuple[Hashable, ...]]:
        """The combinations of levels that were run, in the order of their levels."""
        places = [{level: place for place, level in enumerate(self.levels[key])} for key in term]

        def place(cell: tuple[Hashable, ...]) -> list[int]:
            return [of[level] for of, level in zip(places, cell, strict=True)]

        return sorted(set(self.cells(term)), key=place)

    def is_whole(self, term: Term) -> bool:
        """Whether every combination of the term's levels was run."""
        return len(self.combinations(term)) == int(np.prod([len(self.levels[key]) for key in term]))

    def block(self, term: Term) -> np.ndarray:
        """(n, combinations) of ones and zeros."""
        return _one_hot(self.cells(term), self.combinations(term))

    def matrix(self, terms: Sequence[Term]) -> np.ndarray:
        """X of a model: the mean, the seeds, and the terms' blocks in their order."""
        return np.concatenate([*self._fixed, *(self.block(term) for term in terms)], axis=1)

    def start(self, terms: Sequence[Term], term: Term) -> int:
        """Where the term's columns begin in `matrix(terms)`."""
        before = terms[: terms.index(term)]
        return sum(one.shape[1] for one in self._fixed) + sum(len(self.combinations(one)) for one in before)

    def basis(self, terms: Sequence[Term]) -> np.ndarray:
        """Orthonormal columns of a model."""
        return basis(self.matrix(terms))

    def rank(self, terms: Sequence[Term]) -> int:
        """Degrees of freedom of a model: those of one run an arm, since seeds that are whole are clear of all terms."""
        mean = np.ones((len(self._arms), 1))
        arms = np.concatenate([mean, *(self.block(term)[self._arms] for term in terms)], axis=1)
        return basis(arms).shape[1] + self._blocks

    @cached_property
    def mains(self) -> list[Term]:
        """The main effects."""
        return [(key,) for key in self.levels]


def _one_hot(values: Sequence[Hashable], levels: Sequence[Hashable]) -> np.ndarray:
    place = {level: number for number, level in enumerate(levels)}
    block = np.zeros((len(values), len(levels)))
    block[np.arange(len(values)), [place[value] for value in values]] = 1.0
    return block


def centring(k: int) -> np.ndarray:
    """(k, k): each level less the mean of all."""
    return np.eye(k) - 1.0 / k


def alike(model: Model, start: int, k: int) -> list[int]:
    """Of k levels whose columns begin at `start`, the largest set among which every difference can be told."""
    levels = np.zeros((k, model.X.shape[1]))
    levels[np.arange(k), start + np.arange(k)] = 1.0
    left = model.untold(levels)
    groups: list[list[int]] = []
    for level in range(k):
        near = np.linalg.norm(left[[group[0] for group in groups]] - left[level], axis=1) < 1e-7 if groups else []
        home = next((group for group, same in zip(groups, near, strict=True) if same), None)
        if home is None:
            groups.append([level])
        else:
            home.append(level)
    return max(groups, key=len)
