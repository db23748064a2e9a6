"""One number for the neighbours: of the nearest rows of every listed word, how many share a list with it?

Beside it the chance that a row drawn blindly would, and the coverage: how many listed words have a row at all.
A word with m listed relatives in the vocabulary is asked for its min(k, m) nearest, so that 1 can be reached.
Ties and hardly seen neighbours count as misses; other spellings of the word itself are stepped over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rowspace.geometry.frequency import DECILES
from rowspace.geometry.nearest import find_nearest
from rowspace.geometry.rows import unit_rows
from rowspace.probes.categories import Lists, find_categories
from rowspace.probes.neighbours import find_eligible, find_ties
from rowspace.probes.spelling import plain
from rowspace.probes.words import Word
from rowspace.table import Missing, TokenTable

SPELLINGS = 6
"""Neighbours fetched beyond k, to step over other spellings of the word (" king", "King", "KING", ...)."""


@dataclass(frozen=True)
class HitRate:
    """`rate` and `chance` in [0, 1]; `chance_sd` the rate's standard deviation under chance; `coverage` the share of
    listed words with a row; `words` how many were asked; `by_decile` the rate in each tenth by frequency."""

    rate: float | Missing
    chance: float | Missing
    chance_sd: float | Missing
    coverage: float | Missing
    words: int
    by_decile: tuple[float | Missing, ...]


@dataclass(frozen=True)
class Asked:
    """A listed word: its id, the ids that share a list with it, and those that are other spellings of it."""

    id_: int
    relatives: frozenset[int]
    same: frozenset[int]


def find_asked(table: TokenTable, words: Sequence[Word], *, lists: Lists, min_count: int) -> list[Asked]:
    """The words that have a row of their own, are seen often enough and have a listed relative in the vocabulary.

    Depends on the vocabulary alone, so a run finds them once.
    """
    members: dict[str, set[int]] = {}
    spelled: dict[str, set[int]] = {}
    for id_ in np.flatnonzero(find_eligible(table)).tolist():
        spelled.setdefault(plain(table.tokens[id_]).casefold(), set()).add(id_)
        for category in find_categories(lists, table.tokens[id_]):
            members.setdefault(category, set()).add(id_)
    asked = []
    for id_, word in {word.ids[0]: word for word in words if word.one_piece}.items():
        same = frozenset(spelled.get(plain(word.word).casefold(), set()))
        related = frozenset().union(*(members.get(name, set()) for name in find_categories(lists, word.word)))
        if related - same and _seen(table, id_, min_count):
            asked.append(Asked(id_, related - same, same))
    return asked


def measure_hit_rate(
    table: TokenTable, asked: Sequence[Asked], *, k: int, n_listed: int, deciles: np.ndarray | None
) -> HitRate:
    """Hit rate over the words asked; coverage is their share of the `n_listed` words of the lists."""
    units, norms = unit_rows(table.vectors)
    eligible = find_eligible(table) & (norms > 0)
    asked = [one for one in asked if eligible[one.id_]]
    own = np.array([one.id_ for one in asked], dtype=np.int64)
    near, cosines = find_nearest(units, units[own], k=k + SPELLINGS, eligible=eligible, own=own)
    tied = find_ties(cosines)
    dead = frozenset(np.flatnonzero(norms == 0).tolist())
    rates, chances, variances, where = [], [], [], []
    for one, ids, ties in zip(asked, near.tolist(), tied.tolist(), strict=True):
        relatives = one.relatives - dead
        slots = min(k, len(relatives))
        if not slots:
            continue
        kept = [id_ in relatives and not tie for id_, tie in zip(ids, ties, strict=True) if id_ not in one.same]
        share = len(relatives) / max(int(eligible.sum()) - len(one.same), 1)
        rates.append(sum(kept[:slots]) / slots)
        chances.append(share)
        variances.append(share * (1 - share) / slots)
        where.append(0 if deciles is None else int(deciles[one.id_]))
    return _summary(rates, chances, variances, where, n_listed=n_listed)


def _seen(table: TokenTable, id_: int, min_count: int) -> bool:
    return table.counts is None or int(table.counts[id_]) >= min_count


def _summary(
    rates: list[float], chances: list[float], variances: list[float], where: list[int], *, n_listed: int
) -> HitRate:
    coverage = len(rates) / n_listed if n_listed else Missing("the word lists are empty")
    none = Missing("no listed word has a row of its own and a listed relative in this vocabulary")
    if not rates:
        return HitRate(none, none, none, coverage, 0, (none,) * DECILES)
    bands = [[rate for rate, band in zip(rates, where, strict=True) if band == d] for d in range(1, DECILES + 1)]
    return HitRate(
        rate=float(np.mean(rates)),
        chance=float(np.mean(chances)),
        chance_sd=float(np.sqrt(np.sum(variances)) / len(rates)),
        coverage=coverage,
        words=len(rates),
        by_decile=tuple(float(np.mean(b)) if b else Missing("no listed word falls into this tenth") for b in bands),
    )
