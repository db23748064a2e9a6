"""One number for the neighbours: of the nearest rows of every listed word, how many share a list with it?

Beside it the chance that a row drawn blindly would, and the coverage: how many listed words have a row at all.
A word with m listed relatives in the vocabulary is asked for its min(k, m) nearest, so that 1 can be reached.
Ties and hardly seen neighbours count as misses; other spellings of the word itself are stepped over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rowspace.geometry.frequency import DECILES
from rowspace.geometry.rows import measure_norms
from rowspace.probes.categories import Lists, find_categories
from rowspace.probes.chance import TAIL, Null, find_groups, from_draws
from rowspace.probes.nearness import Measure, find_near
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
    slots: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Each word that counted and the neighbours that did, -1 for a tie."""


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
    table: TokenTable,
    asked: Sequence[Asked],
    *,
    k: int,
    n_listed: int,
    deciles: np.ndarray | None,
    measure: Measure = "cosine",
    seed: int = 0,
) -> HitRate:
    """Hit rate over the words asked; coverage is their share of the `n_listed` words of the lists. `seed` is that of
    the sample behind csls."""
    norms = measure_norms(table.vectors)
    eligible = find_eligible(table) & (norms > 0)
    asked = [one for one in asked if eligible[one.id_]]
    own = np.array([one.id_ for one in asked], dtype=np.int64)
    how: dict[str, Any] = {"measure": measure, "k": k + SPELLINGS, "eligible": eligible, "own": own, "seed": seed}
    found = find_near(table, table.vectors[own], **how)
    near, tied = found.ids, find_ties(found.values, found.gap)
    dead = frozenset(np.flatnonzero(norms == 0).tolist())
    rates, chances, variances, where, used = [], [], [], [], []
    for one, ids, ties in zip(asked, near.tolist(), tied.tolist(), strict=True):
        relatives = one.relatives - dead
        slots = min(k, len(relatives))
        if not slots:
            continue
        kept = [-1 if tie else id_ for id_, tie in zip(ids, ties, strict=True) if id_ not in one.same][:slots]
        share = len(relatives) / max(int(eligible.sum()) - len(one.same), 1)
        rates.append(sum(id_ in relatives for id_ in kept) / slots)
        used.append((one.id_, tuple(kept)))
        chances.append(share)
        variances.append(share * (1 - share) / slots)
        where.append(0 if deciles is None else int(deciles[one.id_]))
    return replace(_summary(rates, chances, variances, where, n_listed=n_listed), slots=tuple(used))


def measure_hit_null(table: TokenTable, hits: HitRate, *, labels: np.ndarray, draws: int, seed: int) -> Null | Missing:
    """What the same neighbours would score were the lists dealt anew among the words asked, and among all other tokens,
    of each tenth by frequency. `labels` are those of `find_labels`.

    Which tokens are words at all, and how frequent they are, is no finding: both stay as they are. A neighbour of many
    words moves with all of them, so a hub that happens to stand in a list is no surprise. From 999 draws on the
    interval is that of a permutation test, exact at any shape of the null: one more dealing leaves it on either side
    once in a thousand times. With fewer it is 3.09 standard deviations.
    """
    rates = deal_anew(table, hits, labels=labels, draws=draws, seed=seed)
    return rates if isinstance(rates, Missing) else find_interval(rates)


def find_interval(rates: np.ndarray) -> Null:
    """Mean and interval of dealings (n,): between the ones that TAIL of n + 1 leave outside, where there are enough."""
    outside = int(TAIL * (len(rates) + 1) + 1e-9)
    if not outside:
        return from_draws(rates, 0.0, 1.0)
    ordered = np.sort(rates)
    return Null(float(ordered.mean()), float(ordered[outside - 1]), float(ordered[-outside]))


def deal_anew(table: TokenTable, hits: HitRate, *, labels: np.ndarray, draws: int, seed: int) -> np.ndarray | Missing:
    """The hit rate of each dealing, (draws,): see `measure_hit_null`."""
    if not hits.slots:
        return Missing("no listed word could be asked")
    places = [(word, id_, row) for row, (word, ids) in enumerate(hits.slots) for id_ in ids if id_ >= 0]
    used = np.unique([id_ for word, ids in hits.slots for id_ in (word, *ids) if id_ >= 0])
    words = np.searchsorted(used, [word for word, _, _ in places])
    neighbours = np.searchsorted(used, [id_ for _, id_, _ in places])
    sizes = np.array([max(len(ids), 1) for _, ids in hits.slots])
    rows = np.array([row for *_, row in places], dtype=np.int64)
    groups = 2 * find_groups(table).astype(np.int64)
    groups[[word for word, _ in hits.slots]] += 1
    eligible = find_eligible(table)
    dealings = [
        (np.flatnonzero(groups[used] == group), np.flatnonzero(eligible & (groups == group)))
        for group in np.unique(groups[used])
    ]
    generator, rates, dealt = np.random.default_rng(seed), np.empty(draws), used.copy()
    listed = np.asarray(labels.any(axis=1))
    for draw in range(draws):
        for own, all_ in dealings:
            dealt[own] = generator.choice(all_, len(own), replace=False)
        given = labels[dealt]
        here = np.flatnonzero(listed[dealt[neighbours]])  # most neighbours get no list at all
        shared = ((given[words[here]] & given[neighbours[here]]) != 0).any(axis=1)
        rates[draw] = (np.bincount(rows[here[shared]], minlength=len(sizes)) / sizes).mean()
    return rates


def find_labels(table: TokenTable, lists: Lists) -> np.ndarray:
    """The categories of each token as bits, (V, n) uint64."""
    names = {name: place for place, name in enumerate(sorted({n for found in lists.values() for n in found}))}
    labels = np.zeros((table.V, len(names) // 64 + 1), dtype=np.uint64)
    for id_, token in enumerate(table.tokens):
        for name in find_categories(lists, token):
            labels[id_, names[name] // 64] |= np.uint64(1 << (names[name] % 64))
    return labels


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
