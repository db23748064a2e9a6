"""WordPiece as it is taught: merge the pair that raises the likelihood of the text most.

The score of a pair is freq(ab) / (freq(a) freq(b)): how much more often the two stand together than chance would
have it. Frequencies are those of the current segmentation. Equal scores are decided by which pair comes first in
the words as given. Source: Schuster & Nakajima 2012; the score as in the Hugging Face course, chapter 6.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import numpy as np

from rowspace.tokenization.reference_bpe import Step

CONTINUES = "##"


def merge_by_likelihood(
    words: Mapping[str, int],
    most: int,
    *,
    min_frequency: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[Step]:
    """At most so many merges that each give a new piece; fewer when no pair is left that occurs `min_frequency` times.

    A merge changes the frequency of both parts, and so the score of every pair that they are in: all scores are
    computed anew each time, as one array operation over the pairs; occurrences are kept up to date word by word.
    The plain version is `reference_bpe.merges(score=by_likelihood)`.
    """
    state = _Segmentation(words)
    known = set(state.symbols)
    done: list[Step] = []
    while len(done) < most and (pair := state.best(min_frequency)) is not None:
        merge = state.join(pair)
        if merge.piece not in known:
            known.add(merge.piece)
            done.append(merge)
            if progress is not None and len(done) % 256 == 0:
                progress("merging by likelihood", len(done), most)
    return done


class _Segmentation:
    """Words as lists of symbol numbers, with the frequencies of symbols and of adjacent pairs."""

    def __init__(self, words: Mapping[str, int]) -> None:
        self.symbols: list[str] = []
        self._number: dict[str, int] = {}
        self._frequency = np.zeros(1 << 10)
        self._row: dict[tuple[int, int], int] = {}
        """Pair -> its row in what follows: the pair, its count, the words that hold it and the first of them."""
        self._pairs = np.zeros((1 << 12, 2), dtype=np.int64)
        self._count = np.zeros(1 << 12)
        self._first = np.zeros(1 << 12, dtype=np.int64)
        self._where: list[set[int]] = []
        self._times = list(words.values())
        self._words = [[self._symbol(CONTINUES * (at > 0) + c) for at, c in enumerate(word)] for word in words]
        for index in range(len(self._words)):
            self._account(index, +1)

    def best(self, min_frequency: int) -> int | None:
        """Row of the pair with the largest score, the first in the words among equals; None when none is left."""
        used = len(self._where)
        left, right = self._pairs[:used].T
        count = self._count[:used]
        often = np.flatnonzero(count >= min_frequency)
        if not often.size:
            return None
        score = count[often] / (self._frequency[left[often]] * self._frequency[right[often]])
        tied = often[score == score.max()]
        tied = tied[self._first[tied] == self._first[tied].min()]
        word = self._words[int(self._first[tied[0]])]
        order = {self._row[pair]: at for at, pair in reversed(list(enumerate(itertools.pairwise(word))))}
        return min(tied.tolist(), key=order.__getitem__)

    def join(self, row: int) -> Step:
        """Replace every occurrence of the pair, left to right."""
        left, right = self._pairs[row].tolist()
        count, score = self._count[row], self._count[row] / (self._frequency[left] * self._frequency[right])
        a, b = self.symbols[left], self.symbols[right]
        piece = a + b.removeprefix(CONTINUES)
        new = self._symbol(piece)
        for index in sorted(self._where[row]):
            self._account(index, -1)
            self._words[index] = _replaced(self._words[index], left, right, new)
            self._account(index, +1)
        return Step(a, b, piece, int(count), float(score))

    def _symbol(self, text: str) -> int:
        number = self._number.setdefault(text, len(self.symbols))
        if number == len(self.symbols):
            self.symbols.append(text)
            if number >= len(self._frequency):
                self._frequency = np.concatenate([self._frequency, np.zeros(number)])
        return number

    def _account(self, index: int, sign: int) -> None:
        """Add (+1) or take away (-1) what one word gives to the frequencies."""
        word, times = self._words[index], sign * self._times[index]
        for symbol in word:
            self._frequency[symbol] += times
        for pair in itertools.pairwise(word):
            row = self._row.get(pair)
            if row is None:
                row = self._new_row(pair)
            self._count[row] += times
            where = self._where[row]
            if sign > 0:
                where.add(index)
                self._first[row] = min(self._first[row], index)
            else:
                where.discard(index)
                if self._first[row] == index:
                    self._first[row] = min(where, default=len(self._words))

    def _new_row(self, pair: tuple[int, int]) -> int:
        row = self._row[pair] = len(self._where)
        self._where.append(set())
        if row >= len(self._count):
            self._pairs = np.concatenate([self._pairs, np.zeros_like(self._pairs)])
            self._count = np.concatenate([self._count, np.zeros_like(self._count)])
            self._first = np.concatenate([self._first, np.zeros_like(self._first)])
        self._pairs[row] = pair
        self._first[row] = len(self._words)
        return row


def _replaced(word: list[int], left: int, right: int, new: int) -> list[int]:
    """The word with each occurrence of left, right joined, from left to right."""
    joined: list[int] = []
    at = 0
    while at < len(word):
        if word[at] == left and at + 1 < len(word) and word[at + 1] == right:
            joined.append(new)
            at += 2
        else:
            joined.append(word[at])
            at += 1
    return joined
