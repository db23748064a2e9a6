"""Which row lies nearest to b + a* - a? For many questions at once, by two rules, exact.

3CosAdd  argmax_x  cos(x, b) + cos(x, a*) - cos(x, a)                                (Mikolov et al. 2013)
3CosMul  argmax_x  cos'(x, b) cos'(x, a*) / (cos'(x, a) + 0.001),  cos' = (cos + 1) / 2     (Levy & Goldberg 2014)

Both are sums over three words of a number for each candidate (3CosMul in logarithms), so the cosines of the words that
occur are found once for a tile of the vocabulary, and a question adds three rows of them: O(words * V * d +
questions * V). The tiles that hold the largest sums are looked through again in float64, which also finds ties.
Words of the questions stand apart, since they are the ones that a question may exclude.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

TILE = 1024
QUESTIONS = 256
EPSILON = 1e-3
TIE = 1e-9
TIED, NOTHING = -2, -1
Rule = Literal["add", "mul"]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Answers:
    """Ids found for each question (Q,) int64, with the words of the question (however spelled) excluded and not;
    -2 where several rows are exactly as near, -1 where none is left."""

    excluded: np.ndarray
    unrestricted: np.ndarray


@dataclass(frozen=True, eq=False)
class _Best:
    """The largest score of each question, whose it is, and the second largest: (Q,)."""

    score: np.ndarray
    id_: np.ndarray
    second: np.ndarray


def find_answers(
    units: np.ndarray,
    questions: np.ndarray,
    *,
    eligible: np.ndarray,
    spellings: np.ndarray,
    rule: Rule,
    progress: Progress | None = None,
) -> Answers:
    """Answers to `questions` (Q, 3) of ids a, a*, b among the `eligible` (V,) of the unit rows (V, d).

    `spellings` (V,): rows that spell one word share a number, and are excluded together.
    """
    words, places = np.unique(questions, return_inverse=True)
    places = places.reshape(questions.shape)
    asked = np.isin(spellings, spellings[words])
    free, own = np.flatnonzero(eligible & ~asked), np.flatnonzero(eligible & asked)
    among_free = _search(units, words, places, free, rule, progress)
    barred = (spellings[questions][:, :, None] == spellings[own][None, None, :]).any(axis=1)
    with_own = _exactly(units, words, places, own, rule, np.zeros_like(barred))
    without = _exactly(units, words, places, own, rule, barred)
    return Answers(_settled(among_free, without), _settled(among_free, with_own))


def _search(
    units: np.ndarray, words: np.ndarray, places: np.ndarray, free: np.ndarray, rule: Rule, progress: Progress | None
) -> _Best:
    """The best of the free candidates: tile by tile in float32, then the two best tiles of each question exactly."""
    tiles = [free[start : start + TILE] for start in range(0, len(free), TILE)]
    tops = torch.full((len(tiles), len(places)), -torch.inf)
    moves, move = np.unique(places[:, :2], axis=0, return_inverse=True)
    at, b = torch.from_numpy(move.reshape(-1)), torch.from_numpy(places[:, 2].copy())
    own = torch.from_numpy(units[words])
    for number, tile in enumerate(tiles):
        plus, minus = _terms(own @ torch.from_numpy(units[tile]).T, rule)
        lifts = plus[torch.from_numpy(moves[:, 1].copy())] - minus[torch.from_numpy(moves[:, 0].copy())]
        room, more = torch.empty((2, min(QUESTIONS, len(places)), len(tile)))
        for start in range(0, len(places), QUESTIONS):
            block = slice(start, min(start + QUESTIONS, len(places)))
            sums = torch.index_select(lifts, 0, at[block], out=room[: block.stop - start])
            sums += torch.index_select(plus, 0, b[block], out=more[: block.stop - start])
            tops[number, block] = sums.amax(dim=1)
        if progress is not None:
            progress(number + 1, len(tiles))
    found = _nothing(len(places))
    for rank in range(min(2, len(tiles))):
        chosen = tops.topk(rank + 1, dim=0).indices[rank].numpy()
        for number in np.unique(chosen):
            some = np.flatnonzero(chosen == number)
            here = _exactly(units, words, places[some], tiles[number], rule, np.zeros((len(some), 1), dtype=bool))
            _put(found, some, _merged(_some(found, some), here))
    return found


def _exactly(
    units: np.ndarray, words: np.ndarray, places: np.ndarray, ids: np.ndarray, rule: Rule, barred: np.ndarray
) -> _Best:
    """The best of few candidates `ids` (n,) in float64; `barred` (Q, n) may not be found."""
    if not len(ids):
        return _nothing(len(places))
    used, inner = np.unique(places, return_inverse=True)
    inner = inner.reshape(places.shape)
    cosines = torch.from_numpy(units[words[used]].astype(np.float64) @ units[ids].astype(np.float64).T)
    plus, minus = (term.numpy() for term in _terms(cosines, rule))
    found = _nothing(len(places))
    for start in range(0, len(places), QUESTIONS):
        block = slice(start, start + QUESTIONS)
        a, star, b = inner[block].T
        scores = np.where(barred[block], -np.inf, plus[star] - minus[a] + plus[b])
        best = scores.argmax(axis=1)
        rows = np.arange(len(best))
        top = scores[rows, best]
        scores[rows, best] = -np.inf
        found.score[block], found.second[block] = top, scores.max(axis=1)
        found.id_[block] = np.where(np.isneginf(top), NOTHING, ids[best])
    return found


def _terms(cosines: torch.Tensor, rule: Rule) -> tuple[torch.Tensor, torch.Tensor]:
    """What b and a* add to a score and what a takes from it, (words, candidates) each."""
    if rule == "add":
        return cosines, cosines
    shifted = ((cosines + 1) / 2).clamp(min=0)
    return shifted.log(), (shifted + EPSILON).log()


def _nothing(n: int) -> _Best:
    return _Best(np.full(n, -np.inf), np.full(n, NOTHING, dtype=np.int64), np.full(n, -np.inf))


def _some(best: _Best, which: np.ndarray) -> _Best:
    return _Best(best.score[which], best.id_[which], best.second[which])


def _put(best: _Best, which: np.ndarray, found: _Best) -> None:
    best.score[which], best.id_[which], best.second[which] = found.score, found.id_, found.second


def _merged(one: _Best, other: _Best) -> _Best:
    """The best of two groups of candidates, and the second best of both."""
    first = one.score >= other.score
    second = np.where(first, np.maximum(one.second, other.score), np.maximum(other.second, one.score))
    return _Best(np.maximum(one.score, other.score), np.where(first, one.id_, other.id_), second)


def _settled(one: _Best, other: _Best) -> np.ndarray:
    """Ids of the best, or that several are as good."""
    best = _merged(one, other)
    with np.errstate(invalid="ignore"):
        tied = best.second >= best.score - TIE
    return np.where(tied & (best.id_ != NOTHING), TIED, best.id_)
