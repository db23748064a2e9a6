"""Which row lies nearest to b + a* - a? For many questions at once, by two rules, exact.

3CosAdd  argmax_x  cos(x, b) + cos(x, a*) - cos(x, a)                                (Mikolov et al. 2013)
3CosMul  argmax_x  cos'(x, b) cos'(x, a*) / (cos'(x, a) + 0.001),  cos' = (cos + 1) / 2     (Levy & Goldberg 2014)

Both are sums over three words of a number for each candidate (3CosMul in logarithms), so the cosines of the words that
occur are found once for a tile of the vocabulary, and a question adds three rows of them: O(words * V * d +
questions * V). The few largest sums are measured again in float64, which also finds ties.
Words of the questions stand apart, since they are the ones that a question may exclude.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from typing import Literal

import numpy as np
import torch

from rowspace.geometry.rows import Vectors

TILE = 1024
TOGETHER = 16
"""Tiles in one product."""
KEPT = 4
"""Candidates that float64 chooses from."""
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
    units: Vectors,
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
    units: Vectors, words: np.ndarray, places: np.ndarray, free: np.ndarray, rule: Rule, progress: Progress | None
) -> _Best:
    """The best of the free candidates: in float32 the two best of every tile that has one better than the few kept so
    far, and those few once more exactly."""
    moves, move = np.unique(places[:, :2], axis=0, return_inverse=True)
    move = move.reshape(-1)
    own = torch.from_numpy(units[words])
    near, sums = np.full((len(places), KEPT), NOTHING), np.full((len(places), KEPT), -np.inf, dtype=np.float32)

    def look(cosines: np.ndarray, floor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        plus, minus = _terms(np.ascontiguousarray(cosines), rule)
        return _two_best(plus[moves[:, 1]] - minus[moves[:, 0]], move, plus, places[:, 2], floor)

    # one large product at a time, then whole tiles to a thread each: a step inside one is too short to be shared
    with ThreadPoolExecutor(torch.get_num_threads()) as threads:
        for first in range(0, len(free), TOGETHER * TILE):
            ids = free[first : first + TOGETHER * TILE]
            cosines = (own @ torch.from_numpy(units[ids]).T).numpy()
            starts = range(0, len(ids), TILE)
            tiles, floor = [cosines[:, start : start + TILE] for start in starts], sums.min(axis=1)
            found = list(threads.map(look, tiles, repeat(floor)))
            near = np.hstack([near, *(ids[start + at] for start, (at, _) in zip(starts, found, strict=True))])
            sums = np.hstack([sums, *(values for _, values in found)])
            kept = np.argpartition(-sums, KEPT - 1, axis=1)[:, :KEPT]
            near, sums = np.take_along_axis(near, kept, axis=1), np.take_along_axis(sums, kept, axis=1)
            if progress is not None:
                progress(first + len(ids), len(free))
    return _rescored(units, words[places], near, np.isneginf(sums), rule)


def _two_best(
    lifts: np.ndarray, move: np.ndarray, plus: np.ndarray, b: np.ndarray, floor: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Columns and values of the two largest of lifts[move] + plus[b], (Q, 2) each; -inf where there is one column, or
    none above the floor (Q,). No sum is larger than the two largest terms together: most questions need no look."""
    columns, values = np.zeros((len(b), 2), dtype=np.int64), np.full((len(b), 2), -np.inf, dtype=np.float32)
    hopeful = np.flatnonzero(lifts.max(axis=1)[move] + plus.max(axis=1)[b] > floor)
    for start in range(0, len(hopeful), QUESTIONS):
        block = hopeful[start : start + QUESTIONS]
        sums = lifts[move[block]]
        sums += plus[b[block]]
        above = np.flatnonzero(sums.max(axis=1) > floor[block])
        sums, block, rows = sums[above], block[above], np.arange(len(above))
        for place in range(min(2, lifts.shape[1])):
            best = sums.argmax(axis=1)
            columns[block, place], values[block, place] = best, sums[rows, best]
            sums[rows, best] = -np.inf
    return columns, values


def _rescored(units: Vectors, questions: np.ndarray, near: np.ndarray, none: np.ndarray, rule: Rule) -> _Best:
    """The best of each question's own candidates `near` (Q, n) in float64; `none` (Q, n): no candidate."""
    found = _nothing(len(near))
    for start in range(0, len(near), QUESTIONS):
        block = slice(start, start + QUESTIONS)
        rows = units[near[block]].astype(np.float64)
        asked = units[questions[block]].astype(np.float64)
        plus, minus = _terms(np.einsum("qnd,qwd->wqn", rows, asked), rule)
        _put(found, block, _largest(np.where(none[block], -np.inf, plus[1] - minus[0] + plus[2]), near[block]))
    return found


def _exactly(
    units: Vectors, words: np.ndarray, places: np.ndarray, ids: np.ndarray, rule: Rule, barred: np.ndarray
) -> _Best:
    """The best of few candidates `ids` (n,), the same for all, in float64; `barred` (Q, n) may not be found."""
    found = _nothing(len(places))
    if not len(ids):
        return found
    plus, minus = _terms(units[words].astype(np.float64) @ units[ids].astype(np.float64).T, rule)
    for start in range(0, len(places), QUESTIONS):
        block = slice(start, start + QUESTIONS)
        a, star, b = places[block].T
        scores = np.where(barred[block], -np.inf, plus[star] - minus[a] + plus[b])
        _put(found, block, _largest(scores, np.broadcast_to(ids, scores.shape)))
    return found


def _largest(scores: np.ndarray, ids: np.ndarray) -> _Best:
    """The largest and second largest of each row (Q, n), and whose the largest is."""
    best, rows = scores.argmax(axis=1), np.arange(len(scores))
    top = scores[rows, best]
    scores[rows, best] = -np.inf
    return _Best(top, np.where(np.isneginf(top), NOTHING, ids[rows, best]), scores.max(axis=1))


def _terms(cosines: np.ndarray, rule: Rule) -> tuple[np.ndarray, np.ndarray]:
    """What b and a* add to a score and what a takes from it, (words, candidates) each, as exact as the cosines."""
    if rule == "add":
        return cosines, cosines
    shifted = np.maximum((cosines + 1) / 2, np.finfo(cosines.dtype).tiny)
    return np.log(shifted), np.log(shifted + EPSILON)


def _nothing(n: int) -> _Best:
    return _Best(np.full(n, -np.inf), np.full(n, NOTHING, dtype=np.int64), np.full(n, -np.inf))


def _put(best: _Best, which: slice, found: _Best) -> None:
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
