"""Do two words that belong together lie near each other? Percentile ranks of the partner, in both directions.

100 means that no other token is nearer than the partner, 0 that none is farther, 50 that half are: what a random table
gives on average. Equal cosines count half (midrank), so that a table in which everything ties scores 50, not 100.
Beside it the percentile among tokens of the partner's tenth by frequency, which frequency alone cannot raise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rowspace.geometry.rows import Units, Vectors, multiply
from rowspace.probes.chance import Null, find_groups, from_draws
from rowspace.probes.nearness import TIE
from rowspace.probes.neighbours import find_eligible
from rowspace.probes.words import Word
from rowspace.table import Missing, TokenTable

BLOCK = 64
ROWS = 64
POOL = 48
"""Tokens of each tenth, at the least, among which the null deals the words anew."""
SAMPLE = 1024
"""Tokens against which the null ranks them."""
DRAWS = 1000


@dataclass(frozen=True)
class Pair:
    """Two words that belong together, resolved, and how."""

    one: Word
    other: Word
    relation: str

    @property
    def known(self) -> bool:
        """Both words have a row of their own, and not the same."""
        return bool(self.one.ids and self.other.ids) and self.one.ids != self.other.ids


@dataclass(frozen=True, eq=False)
class Ranked:
    """`pairs` that counted (n), their percentile ranks in [0, 100], (n, 2) from either word, among all tokens and
    among those of the partner's tenth, and the nulls of their means."""

    pairs: list[Pair]
    among_all: np.ndarray
    matched: np.ndarray
    null: Null | Missing
    matched_null: Null | Missing


def rank_pairs(table: TokenTable, pairs: Sequence[Pair], *, seed: int) -> Ranked:
    """Percentile ranks of the pairs that have rows. O(pairs * V * d) time, a block of BLOCK * V floats of memory."""
    units = Units(table.vectors)
    eligible = find_eligible(table) & (units.norms > 0)
    groups = find_groups(table)
    kept = [pair for pair in pairs if pair.known and eligible[[*pair.one.ids, *pair.other.ids]].all()]
    if not kept:
        none = Missing("no pair has a row for both of its words")
        return Ranked([], np.zeros((0, 2)), np.zeros((0, 2)), none, none)
    sides = [side for pair in kept for side in ((pair.one, pair.other), (pair.other, pair.one))]
    found = _percentiles(units, sides, eligible, groups)
    null = _nulls(units, kept, eligible, groups, seed)
    return Ranked(kept, found[:, 0].reshape(-1, 2), found[:, 1].reshape(-1, 2), *null)


def find_pair_rows(table: TokenTable, ranked: Ranked, *, close: float, min_count: int) -> list[dict[str, Any]]:
    """One row a pair: words, relation, policies, counts, percentiles, verdict and the rule that gave it."""
    rows = []
    for pair, both, matched in zip(ranked.pairs, ranked.among_all, ranked.matched, strict=True):
        counts = [_count(table, word) for word in (pair.one, pair.other)]
        verdict, rule = judge_pair(float(both.mean()), counts, close=close, min_count=min_count)
        rows.append(
            {"one": pair.one.word, "other": pair.other.word, "relation": pair.relation}
            | {"one_policy": pair.one.policy, "other_policy": pair.other.policy}
            | {"one_count": counts[0], "other_count": counts[1]}
            | {"from_one": float(both[0]), "from_other": float(both[1]), "percentile": float(both.mean())}
            | {"percentile_matched": float(matched.mean()), "verdict": verdict, "rule": rule}
        )
    return rows


def judge_pair(percentile: float, counts: Sequence[int | None], *, close: float, min_count: int) -> tuple[str, str]:
    """Verdict of a pair, by the mean of its two percentiles, and the rule in words."""
    if percentile >= close:
        return "success", f"nearer than {close:g} % of the vocabulary, the mean of both directions"
    if any(count is not None and count < min_count for count in counts):
        return "under-trained", f"a word of it was seen fewer than {min_count} times"
    return "failure", f"not nearer than {close:g} % of the vocabulary, the mean of both directions"


def _percentiles(
    units: Vectors, sides: Sequence[tuple[Word, Word]], eligible: np.ndarray, groups: np.ndarray
) -> np.ndarray:
    """Percentile of each partner (m, 2): among all eligible tokens, and among those of its group; float64 ties."""
    found = np.full((len(sides), 2), 50.0)
    for start in range(0, len(sides), BLOCK):
        block = sides[start : start + BLOCK]
        own = np.stack([_vector(units, word) for word, _ in block])
        cosines = multiply(own, units)
        for place, (word, partner) in enumerate(block):
            others = eligible.copy()
            others[[*word.ids, *partner.ids]] = False
            ahead = _ahead(units, own[place], cosines[place], _vector(units, partner))
            alike = others & (groups == groups[partner.ids[0]])
            found[start + place] = [_percentile(ahead[mask]) for mask in (others, alike)]
    return found


def _ahead(units: Vectors, own: np.ndarray, cosines: np.ndarray, partner: np.ndarray) -> np.ndarray:
    """How each token stands to the partner: 1 farther, 0.5 as close, 0 nearer: (V,). Near ties in float64."""
    exact = own.astype(np.float64)
    mark = float(exact @ partner.astype(np.float64))
    ahead = (cosines < mark).astype(np.float64)
    close = np.flatnonzero(np.abs(cosines - mark) < 1e-5)
    held = np.flatnonzero(exact)  # rows of counts are mostly zeros, and most of their cosines are equal
    parts = np.array_split(close, len(close) // ROWS + 1)  # a few rows at a time stay in the cache
    gap = np.concatenate([units[np.ix_(part, held)].astype(np.float64) @ exact[held] for part in parts]) - mark
    ahead[close] = np.where(np.abs(gap) <= TIE, 0.5, gap < 0)
    return ahead


def _percentile(ahead: np.ndarray) -> float:
    return 100 * float(ahead.mean()) if len(ahead) else 50.0


def _nulls(
    units: Vectors, pairs: Sequence[Pair], eligible: np.ndarray, groups: np.ndarray, seed: int
) -> tuple[Null | Missing, Null | Missing]:
    """Nulls of both means: the words of the pairs dealt anew within their groups, among a pool of rows.

    A word that stands in several pairs takes the same row in all of them. The percentile of one pool row from another
    is that among a sample of the vocabulary, without the two; dealt over a whole group it is 50 on average by symmetry.
    Missing where the words can be dealt in fewer than DRAWS ways.
    """
    generator = np.random.default_rng(seed)
    words = {word.ids: groups[word.ids[0]] for pair in pairs for word in (pair.one, pair.other)}
    needed = {group: [ids for ids, of in words.items() if of == group] for group in sorted(set(words.values()))}
    ids: list[int] = []
    slots: dict[Any, range] = {}
    for group, asked in needed.items():
        members = np.flatnonzero(eligible & (groups == group))
        size = min(len(members), max(POOL, 2 * len(asked)))
        slots[group] = range(len(ids), len(ids) + size)
        ids += generator.choice(members, size, replace=False).tolist()
    deals = math.prod(
        math.perm(len(slots[group]), min(len(asked), len(slots[group]))) for group, asked in needed.items()
    )
    if deals < DRAWS:
        few = (
            f"the words can be dealt anew in {deals:,} ways only, and what happens once in {DRAWS:,} times is not known"
        )
        return Missing(few), Missing(few)
    ranks = _pool_ranks(units, np.array(ids), np.flatnonzero(eligible), slots, generator)
    dealt: dict[tuple[int, ...], np.ndarray] = {}
    for group, asked in needed.items():
        order = generator.random((DRAWS, len(slots[group]))).argsort(axis=1) + slots[group].start
        order = order[:, np.arange(len(asked)) % order.shape[1]]  # pieces that share their first may be too many
        dealt |= dict(zip(asked, order.T, strict=True))
    one = np.stack([dealt[pair.one.ids] for pair in pairs])
    other = np.stack([dealt[pair.other.ids] for pair in pairs])
    draws = [(rank[one, other] + rank[other, one]).mean(axis=0) / 2 for rank in ranks]
    return from_draws(draws[0], 0.0, 100.0), from_draws(draws[1], 0.0, 100.0)


def _pool_ranks(
    units: Vectors,
    ids: np.ndarray,
    eligible: np.ndarray,
    slots: dict[Any, range],
    generator: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Percentile of pool row j from pool row i, (M, M): among a sample of all tokens, and among the pool of its group,
    each without i and j, as the pairs are measured."""
    sample = generator.choice(eligible, min(len(eligible), SAMPLE), replace=False)
    every, places = np.unique(np.concatenate([ids, sample]), return_inverse=True)
    cosines = units[ids] @ units[every].T  # one product: a row that stands on both sides has one cosine
    own, against = places[: len(ids)], places[len(ids) :]
    matched = [
        _midranks(cosines, own[slot.start : slot.stop], own[slot.start : slot.stop], own) for slot in slots.values()
    ]
    return _midranks(cosines, against, own, own), np.concatenate(matched, axis=1)


def _midranks(cosines: np.ndarray, among: np.ndarray, marked: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Percentile of each marked column in each row of cosines (M, n) among others, without the marked column and the
    row's `own`; equal cosines count half. 50 where no other is left, and for the own column itself."""
    marks, selves = cosines[:, marked], np.take_along_axis(cosines, own[:, None], axis=1)
    held = np.isin(np.arange(cosines.shape[1]), among)
    mine, theirs = held[own][:, None], held[marked]
    twice = np.empty(marks.shape)
    for i, ordered in enumerate(np.sort(cosines[:, among], axis=1)):
        twice[i] = np.searchsorted(ordered, marks[i], side="left") + np.searchsorted(ordered, marks[i], side="right")
    twice -= mine * (2.0 * (selves < marks) + (selves == marks)) + theirs
    n = len(among) - mine.astype(np.int64) - theirs
    return np.where((n > 0) & (own[:, None] != marked), 50 * twice / np.maximum(n, 1), 50.0)


def _vector(units: Vectors, word: Word) -> np.ndarray:
    """The row of a word, or the mean direction of its pieces; norm 1 or 0."""
    if word.one_piece:
        return units[list(word.ids)][0]
    mean = units[list(word.ids)].astype(np.float64).mean(axis=0)
    norm = np.linalg.norm(mean)
    return (mean / norm if norm > 0 else mean).astype(np.float32)


def _count(table: TokenTable, word: Word) -> int | None:
    return None if table.counts is None else min(int(table.counts[id_]) for id_ in word.ids)
