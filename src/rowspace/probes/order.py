"""Does a word's vector change when the order of the words does? "the cat sat" against "the sat cat".

Two words of a text are exchanged, so that both texts hold the same tokens. Each token's vector in the one is compared
with the same token's in the other; the mean distance, from the first exchanged token on, is divided by that of two
different tokens of one text. A table gives a token the same row wherever it stands: the difference of a row and itself
is 0 in every bit, whatever is summed how. States read their place or what stands before them, trained or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rowspace.table import Missing

FIRST = ("the cat sat", "the sat cat")
"""The chapter's own pair."""
ROUNDING = 1e-5
"""What adding in another order gives in float32, as a share of the distance of two tokens."""
SHORTEST, LONGEST = 4, 40
"""Words of a text whose words are exchanged."""


@dataclass(frozen=True)
class Exchange:
    """A text and the same with two words exchanged; `ids` and `others` are their tokens, the same in another order."""

    text: str
    other: str
    ids: tuple[int, ...]
    others: tuple[int, ...]

    @property
    def start(self) -> int:
        """The first place at which they differ."""
        return next(place for place, (a, b) in enumerate(zip(self.ids, self.others, strict=True)) if a != b)


@dataclass(frozen=True, eq=False)
class Moved:
    """`share` of the distance of two tokens by which a token's vector moves on average; `by_pair` (n,) of each pair."""

    share: float | Missing
    by_pair: np.ndarray


def find_exchanges(
    texts: Sequence[bytes], encode: Callable[[str], Sequence[int]], *, n: int, longest: int, seed: int
) -> tuple[list[Exchange], int]:
    """The chapter's pair, and texts drawn at random until `n` pairs in all keep their tokens; and how many were tried.

    A pair counts where both texts hold the same tokens, not in the same order, and at most `longest` of them.
    """
    found: list[Exchange] = []
    tried = 0
    for text, other in _proposals(texts, n, np.random.default_rng(seed)):
        tried += 1
        ids, others = tuple(encode(text)), tuple(encode(other))
        if sorted(ids) == sorted(others) and ids != others and len(ids) <= longest:
            found.append(Exchange(text, other, ids, others))
        if len(found) == n:
            break
    return found, tried


def measure_order(pairs: Sequence[Exchange], one: Sequence[np.ndarray], other: Sequence[np.ndarray]) -> Moved:
    """`one[i]` and `other[i]` (T, d) are the vectors of the tokens of both texts of a pair."""
    moved, apart = [], []
    for pair, a, b in zip(pairs, one, other, strict=True):
        here, there = np.argsort(pair.ids, kind="stable"), np.argsort(pair.others, kind="stable")
        kept = here >= pair.start
        gaps = np.linalg.norm(a[here].astype(np.float64) - b[there].astype(np.float64), axis=1)
        moved.append(gaps[kept].mean())
        apart.append(_mean_distance(a.astype(np.float64), np.asarray(pair.ids)))
    scale = float(np.mean(apart)) if apart else 0.0
    if scale == 0:
        reason = "all tokens have the same vector" if apart else "no text keeps its tokens when two words are exchanged"
        return Moved(Missing(reason), np.zeros(len(moved)))
    by_pair = np.array(moved) / scale
    return Moved(float(by_pair.mean()), by_pair)


def _mean_distance(vectors: np.ndarray, ids: np.ndarray) -> float:
    """Of two different tokens of a text."""
    gram = vectors @ vectors.T
    squares = np.diag(gram)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * gram, 0.0))
    return float(distances[ids[:, None] != ids].mean())


def _proposals(texts: Sequence[bytes], n: int, generator: np.random.Generator) -> Iterator[tuple[str, str]]:
    """Texts with two of their inner words exchanged, the chapter's first; five times as many as are wanted."""
    yield FIRST
    for place in generator.permutation(len(texts))[: 5 * n].tolist():
        words = bytes(texts[place]).decode("utf-8", "replace").split(" ")[:LONGEST]
        inner = [i for i, word in enumerate(words) if 0 < i < len(words) - 1 and word.isalpha()]
        if len(words) < SHORTEST or len({words[i] for i in inner}) < 2:
            continue
        first = int(generator.choice(inner))
        second = int(generator.choice([i for i in inner if words[i] != words[first]]))
        swapped = list(words)
        swapped[first], swapped[second] = words[second], words[first]
        yield " ".join(words), " ".join(swapped)
