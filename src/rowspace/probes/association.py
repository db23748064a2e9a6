"""Do tokens that keep the same company have rows that point the same way? Cosines of E against cosines of PPMI.

Positive pointwise mutual information of the same stream is what counting alone can know: PPMI(w, c) = max(0, ln of
#(w, c) #() / (#(w) #(c))), pairs within a window of one document (Levy & Goldberg 2014). Its rows' cosines are compared
with the table's, pair by pair, by rank. Pairs are not independent, so chance is that of rows dealt anew (Mantel 1967),
within a tenth of the tokens by frequency: common tokens keep common company and lie near each other in tables that know
nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from rowspace.geometry.rows import unit_rows
from rowspace.probes.chance import from_draws
from rowspace.table import Missing

CHUNK = 1 << 20
"""Tokens whose pairs are counted at once."""
BANDS = 10
DEALT = 10
"""Tokens, at the least, among which rows are dealt anew."""
DRAWS, FEWEST, WORK = 200, 30, 50_000_000
"""Dealings behind chance, and for many tokens as many as compare so many pairs."""


@dataclass(frozen=True, eq=False)
class Company:
    """What counting knows: `ids` (n,) tokens, the commonest first, `cosines` (n, n) of their PPMI rows, `counts` (n,)
    in the training text, `pairs` counted in the window, `tokens` read."""

    ids: np.ndarray
    cosines: np.ndarray
    counts: np.ndarray
    pairs: int
    tokens: int


@dataclass(frozen=True)
class Association:
    """Rank correlation over all pairs of n tokens, and what rows have that are dealt anew within their tenth: `chance`
    on average, `low` to `high` 998 times of 1000.

    `by_band`: the same over pairs of a token of each tenth of these tokens with any other, the rarest tenth first.
    """

    spearman: float | Missing
    chance: float | Missing
    low: float | Missing
    high: float | Missing
    by_band: list[float | Missing]


def count_pairs(
    stream: np.ndarray, places: np.ndarray, *, window: int, rows: int, contexts: int, eos: int
) -> np.ndarray:
    """How often tokens stand within `window` of each other in one document: (rows + 1, contexts + 1) int64.

    `stream` (N,) ids; `places` (V,) the place of each id among the contexts, from 0, or `contexts` for all others. The
    first `rows` contexts have rows; the last row and the last column are all other tokens.
    """
    counts = np.zeros((rows + 1) * (contexts + 1), dtype=np.int64)
    for a, b in pairs_within(stream, places, window=window, eos=eos):
        for one, other in ((a, b), (b, a)):
            keys = np.minimum(one, rows) * (contexts + 1) + other
            counts += np.bincount(keys, minlength=len(counts))
    return counts.reshape(rows + 1, contexts + 1)


def pairs_within(
    stream: np.ndarray, places: np.ndarray, *, window: int, eos: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Places of the two of each pair, once a pair, a chunk and a distance at a time."""
    for start in range(0, len(stream), CHUNK):
        part = np.asarray(stream[start : start + CHUNK + window])
        ends, at = part == eos, places[part]
        document = np.cumsum(ends)
        for k in range(1, window + 1):
            # the later token lies beyond the chunk for the last few, and belongs to it all the same
            first = slice(0, min(CHUNK, len(part) - k))
            then = slice(k, first.stop + k)
            if first.stop > 0:
                kept = (document[first] == document[then]) & ~ends[first] & ~ends[then]
                yield at[first][kept], at[then][kept]


def find_ppmi(counts: np.ndarray) -> np.ndarray:
    """PPMI of `count_pairs`, without its last row and column: (rows, contexts) float64, natural logarithm.

    Marginals are those of all tokens, the others among them.
    """
    seen = counts.astype(np.float64)
    of_context = seen.sum(axis=0)
    of_row, total = seen.sum(axis=1, keepdims=True), seen.sum()
    expected = of_row * of_context / max(total, 1.0)
    ratio = np.divide(seen, expected, out=np.ones_like(seen), where=(seen > 0) & (expected > 0))
    return np.log(np.maximum(ratio, 1.0))[:-1, :-1]


def find_company(
    stream: np.ndarray,
    counts: np.ndarray,
    *,
    special: frozenset[int],
    eos: int,
    tokens: int,
    contexts: int,
    window: int,
) -> Company | Missing:
    """The commonest `tokens` of the stream with the cosines of their PPMI rows over the commonest `contexts`."""
    order = np.argsort(-counts, kind="stable")
    common = np.array(
        [id_ for id_ in order.tolist() if counts[id_] > 0 and id_ not in special][:contexts], dtype=np.int64
    )
    n = min(tokens, len(common))
    if n < 4:
        return Missing("fewer than four tokens stand in this text")
    places = np.full(len(counts), len(common), dtype=np.int64)
    places[common] = np.arange(len(common))
    seen = count_pairs(stream, places, window=window, rows=n, contexts=len(common), eos=eos)
    units, norms = unit_rows(find_ppmi(seen))
    kept = norms > 0
    if np.count_nonzero(kept) < 4:
        return Missing("fewer than four tokens keep any company in this text")
    units = units[kept]
    ids = common[:n][kept]
    return Company(ids, (units @ units.T).astype(np.float64), counts[ids], int(seen.sum()) // 2, len(stream))


def find_cosines(vectors: np.ndarray) -> np.ndarray:
    """Cosines of all pairs of rows, (n, d) -> (n, n) float64; 0 for a zero row."""
    units, _ = unit_rows(vectors)
    return (units @ units.T).astype(np.float64)


def find_ranks(cosines: np.ndarray) -> np.ndarray:
    """Average ranks of the pairs above the diagonal, centred, as a symmetric matrix with a zero diagonal: (n, n)."""
    upper = np.triu_indices(len(cosines), 1)
    ranks = rankdata(cosines[upper])
    found = np.zeros_like(cosines)
    found[upper] = ranks - ranks.mean()
    return found + found.T


def measure_association(cosines: np.ndarray, known: np.ndarray, ranks: np.ndarray, *, seed: int) -> Association:
    """`cosines` (n, n) of the table's rows; `known` (n, n) those of PPMI and `ranks` of `find_ranks(known)`; the
    commonest token first. `seed` is that of the dealings."""
    own = find_ranks(cosines)
    scale = float(np.sqrt((own**2).sum() * (ranks**2).sum()))
    bands = [_measure_band(cosines, known, band) for band in np.array_split(np.arange(len(cosines))[::-1], BANDS)]
    if scale == 0:
        none = Missing("all pairs are equally close")
        return Association(none, none, none, none, bands)
    null = from_draws(draw_dealt(own, ranks, seed=seed) / scale, -1.0, 1.0)
    return Association(float((own * ranks).sum()) / scale, null.chance, null.low, null.high, bands)


def _measure_band(cosines: np.ndarray, known: np.ndarray, band: np.ndarray) -> float | Missing:
    """Spearman over the pairs of a token of the band with any other."""
    if not len(band):
        return Missing("no token falls into this tenth")
    others = np.ones((len(band), len(cosines)), dtype=bool)
    others[np.arange(len(band)), band] = False
    a, b = (rankdata(side[band][others]) for side in (cosines, known))
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale > 0 else Missing("all pairs are equally close")


def draw_dealt(a: np.ndarray, b: np.ndarray, *, seed: int) -> np.ndarray:
    """sum_ij a_p(i)p(j) b_ij over random permutations p within tenths, fewer of them where n is small: (draws,).

    `a` and `b` (n, n) symmetric, the commonest token first. O(draws * n * n), at most about WORK for many tokens.
    """
    n, generator = len(a), np.random.default_rng(seed)
    groups = np.array_split(np.arange(n), min(max(n // DEALT, 1), BANDS))
    found = np.empty(min(DRAWS, max(FEWEST, WORK // n**2)))
    for draw in range(len(found)):
        order = np.concatenate([generator.permutation(group) for group in groups])
        found[draw] = (a[np.ix_(order, order)] * b).sum()
    return found


def find_frequency_likeness(counts: np.ndarray) -> np.ndarray:
    """What frequency alone would say of how alike two tokens are: -|ln count_i - ln count_j|, (n, n)."""
    logs = np.log(np.maximum(counts, 1).astype(np.float64))
    return -np.abs(logs[:, None] - logs[None])
