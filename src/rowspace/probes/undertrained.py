"""Under-trained ("glitch") tokens: rows that look as if no text ever reached them (Land & Bartolo 2024).

Rows that training never touches stay alike: where an output side pushes all unseen ids down together they collapse on
one direction, where decay acts they shrink, and where neither does they stay where they began. Each indicator is low
for a suspect. Those of the first kind need rows that are known to be unused: the 13 bytes that no UTF-8 text holds in
a vocabulary with all bytes, or ids whose own name says that they are reserved. Those rows are not judged themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy.stats import hypergeom, norm, rankdata

from rowspace.geometry.rows import BLOCK, measure_norms
from rowspace.geometry.spectrum import measure_mean_row
from rowspace.probes.spelling import LETTER_OF
from rowspace.table import Missing, TokenTable

NEVER_IN_UTF8 = (0xC0, 0xC1, *range(0xF5, 0x100))
"""Bytes that no UTF-8 text holds: two would write a letter the long way, the rest lie beyond the last letter."""
RESERVED = re.compile(r"[\[<]\|?(?:unused|reserved)\w*\|?[\]>]")
INDICATORS = {
    "norm": "length of the row",
    "cosine_distance": "cosine distance to the unused rows' mean",
    "cosine_distance_centred": "the same after the mean row is subtracted",
    "cosine_distance_without_first": "the same after the first principal direction is removed",
    "distance": "Euclidean distance to the unused rows' mean",
    "drift": "distance from where the row began",
}
"""Low is suspicious in each of them."""
TAIL = 0.001
EXACT = 1000
"""Pairs of rows up to which the null of an AUC is counted and not taken as normal."""


def find_unused(table: TokenTable) -> tuple[list[int], str]:
    """Ids known to be unused, ascending, and the rule that says so; none, and why, where the vocabulary has no such."""
    written = {f"<0x{byte:02X}>" for byte in NEVER_IN_UTF8}
    if all(letter in table.id_of for letter in LETTER_OF.values()):
        written |= {LETTER_OF[byte] for byte in NEVER_IN_UTF8}
    ids = sorted(table.id_of[token] for token in written if token in table.id_of)
    if ids:
        return ids, f"{len(ids)} bytes that no UTF-8 text holds"
    ids = [id_ for id_, token in enumerate(table.tokens) if RESERVED.fullmatch(token)]
    if ids:
        return ids, f"{len(ids)} ids that are called unused or reserved"
    return [], "the vocabulary has no bytes of its own and no reserved ids: no row is known to be unused"


def find_indicators(
    table: TokenTable, unused: Sequence[int], *, first: np.ndarray | None = None
) -> dict[str, np.ndarray | Missing]:
    """Every indicator of every row, (V,) float64 by name, low = suspicious. `first` (V, d): the table at its start."""
    found: dict[str, np.ndarray | Missing] = {"norm": measure_norms(table.vectors)}
    if len(unused):
        found |= _likeness(table.vectors, np.asarray(unused))
    else:
        none = Missing("no row is known to be unused")
        found |= {name: none for name in INDICATORS if "distance" in name}
    found["drift"] = Missing("the start is unknown") if first is None else _distances(table.vectors, first)
    return found


def _distances(now: np.ndarray, first: np.ndarray) -> np.ndarray:
    starts = range(0, len(now), BLOCK)
    return np.concatenate([measure_norms(now[i : i + BLOCK] - first[i : i + BLOCK]) for i in starts] or [np.zeros(0)])


def _likeness(vectors: np.ndarray, unused: np.ndarray) -> dict[str, np.ndarray]:
    """How far each row is from the mean of the unused rows, a block at a time in float64."""
    mean, direction = measure_mean_row(vectors), _first_direction(vectors)
    u = vectors[unused].astype(np.float64).mean(axis=0)
    names = ("cosine_distance", "cosine_distance_centred", "cosine_distance_without_first", "distance")
    found = {name: np.empty(len(vectors)) for name in names}
    for start in range(0, len(vectors), BLOCK):
        block, rows = vectors[start : start + BLOCK].astype(np.float64), slice(start, start + BLOCK)
        found["cosine_distance"][rows] = _cosine_distance(block, u)
        found["cosine_distance_centred"][rows] = _cosine_distance(block - mean, u - mean)
        rest = block - np.outer(block @ direction, direction)
        found["cosine_distance_without_first"][rows] = _cosine_distance(rest, u - (u @ direction) * direction)
        found["distance"][rows] = np.linalg.norm(block - u, axis=1)
    return found


def _cosine_distance(rows: np.ndarray, u: np.ndarray) -> np.ndarray:
    """1 - cosine of each row with u; 1 where either has no direction."""
    scale = np.linalg.norm(rows, axis=1) * np.linalg.norm(u)
    return 1 - np.divide(rows @ u, scale, out=np.zeros(len(rows)), where=scale > 0)


def _first_direction(vectors: np.ndarray) -> np.ndarray:
    """First principal direction of the table as it stands (not centred): what all rows share most of, (d,)."""
    gram = np.zeros((vectors.shape[1],) * 2)
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK].astype(np.float64)
        gram += block.T @ block
    return np.linalg.eigh(gram)[1][:, -1]


@dataclass(frozen=True)
class Separation:
    """How well an indicator finds the rows that it should.

    `auc`: a row that should be found is lower than one that should not, with this probability; 0.5 is chance, and
    `low` .. `high` where it falls 998 times of 1000. Of the `flagged` lowest rows `hits` were right; `precision_low` ..
    `precision_high` is where chance alone falls.
    """

    auc: float | Missing
    low: float | Missing
    high: float | Missing
    n: int
    wanted: int
    flagged: int
    hits: int
    precision_low: float
    precision_high: float

    @property
    def precision(self) -> float | Missing:
        """Share of the flagged rows that were right; chance is `base`."""
        return self.hits / self.flagged if self.flagged else Missing("no row was flagged")

    @property
    def recall(self) -> float | Missing:
        """Share of the right rows that were flagged; chance is the share that is flagged."""
        return self.hits / self.wanted if self.wanted else Missing("no row should be found")

    @property
    def base(self) -> float:
        """Share of all rows that should be found."""
        return self.wanted / self.n if self.n else 0.0


def measure_separation(values: np.ndarray, wanted: np.ndarray, *, share: float) -> Separation:
    """`values` (n,) low = suspicious, `wanted` (n,) bool the rows that should be found; flagged is the lowest `share`.

    AUC is Mann and Whitney's U over all pairs, ties one half.
    """
    n, right = len(values), int(wanted.sum())
    flagged = flag(values, share)
    hits = int(wanted[flagged].sum())
    auc: float | Missing = Missing("every row, or none, should be found: there is nothing to tell apart")
    low = high = auc
    if 0 < right < n:
        ranks = rankdata(values)
        below = float(ranks[wanted].sum()) - right * (right + 1) / 2
        auc = 1 - below / (right * (n - right))
        half = chance_half_width(right, n - right)
        low, high = 0.5 - half, 0.5 + half
    drawn = [float(hypergeom.ppf(q, n, right, len(flagged))) if n else 0.0 for q in (TAIL, 1 - TAIL)]
    edges = [edge / max(len(flagged), 1) for edge in drawn]
    return Separation(auc, low, high, n, right, len(flagged), hits, *edges)


def flag(values: np.ndarray, share: float) -> np.ndarray:
    """Places of the lowest `share` of the values, lowest first; the first places among equals."""
    return np.argsort(values, kind="stable")[: ceil(share * len(values))]


def chance_half_width(m: int, n: int) -> float:
    """Half the width of the interval in which 998 of 1000 AUCs of m against n shuffled rows lie.

    Counted exactly for few rows (Mann and Whitney 1947), else by the normal law with its exact variance.
    """
    if m * n <= EXACT:
        return 0.5 - _lowest_likely(m, n) / (m * n)
    return float(norm.ppf(1 - TAIL)) * np.sqrt((m + n + 1) / (12 * m * n))


def _lowest_likely(m: int, n: int) -> int:
    """The smallest u with P(U <= u) > TAIL. Orders of m and n rows by u: coefficients of a Gaussian binomial."""
    ways = [1] + [0] * (m * n)
    for i in range(1, min(m, n) + 1):
        top = max(m, n) + i
        for u in range(m * n, top - 1, -1):
            ways[u] -= ways[u - top]
        for u in range(i, m * n + 1):
            ways[u] += ways[u - i]
    total, seen = sum(ways), 0
    for u, orders in enumerate(ways):
        seen += orders
        if seen > TAIL * total:
            return u
    return 0


def choose_indicator(indicators: Mapping[str, np.ndarray | Missing], *, input_side: bool) -> str:
    """Which indicator the headline is about, by the rule of the paper: an untied input table by length, any table that
    is scored by cosine distance, and by length where no row is known to be unused."""
    known = not isinstance(indicators["cosine_distance"], Missing)
    return "cosine_distance" if known and not input_side else "norm"
