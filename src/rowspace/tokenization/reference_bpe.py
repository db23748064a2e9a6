"""Merging pairs, to read: count adjacent pairs, merge the best, write the merge down, again.

With the count as the score this is byte-pair encoding; with freq(ab) / (freq(a) freq(b)) it is WordPiece. Slow and
plain, over any symbols: for tests, for `rowspace tokenize trace=20`, and for whoever wants to see the algorithm.
Training for use is in `merges.py` and `likelihood.py`. Source: Sennrich et al. 2016, section 3.2.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Word = tuple[str, ...]
Pair = tuple[str, str]
Glue = Callable[[str, str], str]


@dataclass(frozen=True)
class Step:
    """One merge: the two symbols, what they become, how often they stood side by side, and the score."""

    left: str
    right: str
    piece: str
    count: int
    score: float


def by_count(both: int, left: int, right: int) -> float:
    """The score of byte-pair encoding."""
    return both


def by_likelihood(both: int, left: int, right: int) -> float:
    """The score of WordPiece: how much more often the two stand together than chance would have it."""
    return both / (left * right)


def continued(left: str, right: str) -> str:
    """WordPiece's way to join: `##u`, `##g` -> `##ug`."""
    return left + right.removeprefix("##")


def merges(
    words: Mapping[Word, int],
    *,
    score: Callable[[int, int, int], float] = by_count,
    glue: Glue = operator.add,
    order: Callable[[Pair], Any] | None = None,
    min_frequency: int = 1,
) -> Iterator[Step]:
    """The merges in the order in which they are learned, until no pair is left that occurs `min_frequency` times.

    `words` are sequences of symbols with their counts. Among equally good pairs the one that is seen first wins, or
    the one with the smallest `order(pair)`.
    """
    while True:
        symbols, pairs = frequencies(words)
        scores = {
            pair: score(count, symbols[pair[0]], symbols[pair[1]])
            for pair, count in pairs.items()
            if count >= min_frequency
        }
        if not scores:
            return
        best = max(scores.values())
        tied = [pair for pair, value in scores.items() if value == best]
        pair = tied[0] if order is None else min(tied, key=order)
        yield Step(*pair, piece=glue(*pair), count=pairs[pair], score=best)
        words = _joined(words, pair, glue)


def frequencies(words: Mapping[Word, int]) -> tuple[Counter[str], Counter[Pair]]:
    """How often each symbol occurs, and each two side by side, in the order in which they are first seen."""
    symbols: Counter[str] = Counter()
    pairs: Counter[Pair] = Counter()
    for word, count in words.items():
        for symbol in word:
            symbols[symbol] += count
        for pair in pairwise(word):
            pairs[pair] += count
    return symbols, pairs


def _joined(words: Mapping[Word, int], pair: Pair, glue: Glue) -> dict[Word, int]:
    joined: dict[Word, int] = {}
    for word, count in words.items():
        new = join(word, pair, glue)
        joined[new] = joined.get(new, 0) + count
    return joined


def join(word: Word, pair: Pair, glue: Glue = operator.add) -> Word:
    """The word with each occurrence of the pair made one symbol, from left to right."""
    if pair[0] not in word:
        return word
    joined: list[str] = []
    at = 0
    while at < len(word):
        if word[at : at + 2] == pair:
            joined.append(glue(*pair))
            at += 2
        else:
            joined.append(word[at])
            at += 1
    return tuple(joined)


def encode(word: Word, learned: Sequence[Pair], glue: Glue = operator.add) -> Word:
    """The word after all merges, applied in the order in which they were learned."""
    for pair in learned:
        word = join(word, pair, glue)
    return word
