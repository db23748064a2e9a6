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
from rowspace.geometry.rows import unit_rows
from rowspace.probes.categories import Lists, find_categories, plain
from rowspace.probes.nearest import find_nearest
from rowspace.probes.neighbours import TIE, find_eligible
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


def measure_hit_rate(
    table: TokenTable, words: Sequence[Word], *, k: int, lists: Lists, min_count: int, deciles: np.ndarray | None
) -> HitRate:
    """Hit rate over the listed `words`; those without a row of their own, or seen too rarely, only lower coverage."""
    units, norms = unit_rows(table.vectors)
    eligible = find_eligible(table) & (norms > 0)
    asked = {word.ids[0]: word for word in words if word.one_piece and _seen(table, word.ids[0], min_count)}
    ids = [id_ for id_ in asked if eligible[id_]]
    members, spelled = _members(table, lists, eligible)
    own = np.array(ids, dtype=np.int64)
    near, cosines = find_nearest(units, units[own], k=k + SPELLINGS, eligible=eligible, own=own)
    rates, chances, variances, where = [], [], [], []
    for row, id_ in enumerate(ids):
        name = plain(asked[id_].word).casefold()
        same = spelled.get(name, set())
        relatives = set().union(*(members.get(c, set()) for c in find_categories(lists, asked[id_].word))) - same
        if not relatives:
            continue
        slots = min(k, len(relatives))
        rates.append(_hits(near[row], cosines[row], relatives, same, slots) / slots)
        share = len(relatives) / max(int(eligible.sum()) - len(same), 1)
        chances.append(share)
        variances.append(share * (1 - share) / slots)
        where.append(0 if deciles is None else int(deciles[id_]))
    return _summary(rates, chances, variances, where, n_words=len(words))


def _hits(ids: np.ndarray, cosines: np.ndarray, relatives: set[int], same: set[int], slots: int) -> int:
    """How many of the first `slots` neighbours that are no other spelling are relatives; a tie never is."""
    kept = [(int(i), float(c)) for i, c in zip(ids, cosines, strict=True) if i >= 0 and int(i) not in same]
    alone = [not any(abs(c - other) <= TIE for j, other in kept if j != i) for i, c in kept]
    return sum(i in relatives and lone for (i, _), lone in zip(kept[:slots], alone, strict=False))


def _members(table: TokenTable, lists: Lists, eligible: np.ndarray) -> tuple[dict[str, set[int]], dict[str, set[int]]]:
    """Category -> eligible ids of it; plain spelling in lower case -> eligible ids that are spelled so."""
    members: dict[str, set[int]] = {}
    spelled: dict[str, set[int]] = {}
    for id_ in np.flatnonzero(eligible).tolist():
        piece = table.tokens[id_]
        spelled.setdefault(plain(piece).casefold(), set()).add(id_)
        for category in find_categories(lists, piece):
            members.setdefault(category, set()).add(id_)
    return members, spelled


def _seen(table: TokenTable, id_: int, min_count: int) -> bool:
    return table.counts is None or int(table.counts[id_]) >= min_count


def _summary(
    rates: list[float], chances: list[float], variances: list[float], where: list[int], *, n_words: int
) -> HitRate:
    coverage = len(rates) / n_words if n_words else Missing("the word lists are empty")
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
