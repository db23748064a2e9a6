"""Where the tokens of a spaced tokenizer lie in the text, worked out over whole arrays instead of one by one.

The library's own offsets cost as much as encoding does. But words and gap units are decided by the classes of
characters alone (see `pretokenization.spaced`), so they are found here again by array operations, and laid beside the
ids: each unit has one token that starts it, and its pieces are as long as it is, unless it is `<unk>`. Where anything
disagrees there is no answer (None), and the library's offsets are taken. Knows no bytes: places are characters.
"""

from __future__ import annotations

import numpy as np
from tokenizers import Regex, pre_tokenizers

from rowspace.tokenization.pretokenization import LONGEST, word_class

CODE_POINTS = 0x110000
OTHER, WORD, WHITE, NUMBER, BOTH, UNSEEN = range(6)
"""BOTH: a word character to `\\w` and none to `[^\\w]`, as the library has it for fractions and superscripts."""
SPACE, DOTTED_I = 0x20, 0x130
"""The latter is the one letter whose lower case has two characters."""
MOST_DIGITS = 123
"""Of a number that is cut into threes from the right throughout."""


class Alignment:
    """`whitespace` and `digits` as the pre-tokenizer was made with; `lengths` (V + 1,) characters of each piece,
    negative for `<unk>`; `starts` (V + 1,) whether it begins a unit. The last id is `joiner`'s, a unit by itself."""

    def __init__(self, *, whitespace: str, digits: str, joiner: str, lengths: np.ndarray, starts: np.ndarray) -> None:
        self._kept = whitespace == "kept"
        self._digits = digits
        self._joiner = ord(joiner)
        self._lengths = lengths
        self._starts = starts
        self._class_of = np.full(CODE_POINTS, UNSEEN, dtype=np.uint8)

    def __call__(self, points: np.ndarray, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """First character and end of every token; points (N,) code points, ids (T,). None where they disagree."""
        found = self._units(points)
        starting = self._starts[ids]
        first = np.flatnonzero(starting)
        if found is None or len(first) != len(found[0]) or not starting[:1].all():
            return None
        begins, ends = found
        unit = np.cumsum(starting) - 1
        lengths = self._lengths[ids]
        unknown = lengths < 0
        lengths[unknown] = (ends - begins)[unit[unknown]]
        before = np.cumsum(lengths) - lengths
        place = begins[unit] + before - before[first][unit]
        if (np.add.reduceat(lengths, first) != ends - begins).any() if len(first) else len(points) > 0:
            return None
        return place, place + lengths

    def _units(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """First character and end of each word and gap unit, in order."""
        if (points == DOTTED_I).any():
            return None
        kind = self._kinds(points)
        both = kind == BOTH
        word, white, number = (kind == WORD) | both, kind == WHITE, kind == NUMBER
        joiner = points == self._joiner
        outside = (kind == OTHER) & ~joiner
        start = joiner.copy()
        if number.any():
            cuts = number if self._digits == "single" else _threes(number)
            if cuts is None:
                return None
            start |= cuts
        if not self._kept:
            start |= outside | _word_starts(word)
            begins = np.flatnonzero(start)
            last = np.maximum.accumulate(np.where(white, -1, np.arange(len(points))))
            return begins, last[np.append(begins[1:], len(points))[: len(begins)] - 1] + 1
        space = points == SPACE
        vanished = space & _after(word) & _before(word)
        space &= ~vanished
        marked = both & _after(space & ~_after(outside))  # read as a mark, together with the space before it
        outside |= marked
        behind = space & _after(outside)  # belongs to the mark before it
        ahead = space & ~behind & _before(outside)  # belongs to the mark after it
        start |= white & ~behind & ~vanished
        start |= (outside & ~_after(ahead)) | _word_starts(word & ~marked)
        begins = np.flatnonzero(start)
        ends = np.append(begins[1:], len(points))[: len(begins)]
        return begins, ends - vanished[ends - 1]

    def _kinds(self, points: np.ndarray) -> np.ndarray:
        """The class of each character; those seen for the first time are asked of the library's own expressions."""
        kind = self._class_of[points]
        if (new := np.unique(points[kind == UNSEEN])).size:
            of = np.full(len(new), OTHER, dtype=np.uint8)
            text = "".join(map(chr, new.tolist()))
            word = _matching(word_class(self._digits), text)
            of[word] = WORD
            of[_matching(r"\s", text)] = WHITE
            if self._digits == "none":
                of[word & _matching(r"[^\w\s]", text)] = BOTH
            else:
                of[_matching(r"\p{N}", text)] = NUMBER
            self._class_of[new] = of
            kind = self._class_of[points]
        return kind


def _matching(expression: str, text: str) -> np.ndarray:
    """Which characters of the text the expression matches."""
    matches = np.ones(len(text), dtype=bool)
    for _, (start, end) in pre_tokenizers.Split(Regex(f"{expression}+"), "removed").pre_tokenize_str(text):
        matches[start:end] = False
    return matches


def _after(flags: np.ndarray) -> np.ndarray:
    """Whether the character before each is flagged."""
    return np.concatenate([np.zeros(1, dtype=bool), flags[:-1]])[: len(flags)]


def _before(flags: np.ndarray) -> np.ndarray:
    """Whether the character behind each is flagged."""
    return np.concatenate([flags[1:], np.zeros(1, dtype=bool)])[: len(flags)]


def _runs(flags: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First place and end of each run of flagged characters."""
    return np.flatnonzero(flags & ~_after(flags)), np.flatnonzero(flags & ~_before(flags)) + 1


def _word_starts(word: np.ndarray) -> np.ndarray:
    """Where words begin: runs of word characters, cut where they are too long."""
    start = word & ~_after(word)
    begins, ends = _runs(word)
    long = ends - begins > LONGEST
    for begin, end in zip(begins[long].tolist(), ends[long].tolist(), strict=True):
        start[begin:end:LONGEST] = True
    return start


def _threes(number: np.ndarray) -> np.ndarray | None:
    """Where groups of three digits begin, counted from the right; None where a number is too long for that."""
    begins, ends = _runs(number)
    if (ends - begins).max() > MOST_DIGITS:
        return None
    end_of = np.repeat(ends, ends - begins)
    places = np.flatnonzero(number)
    cuts = np.zeros(len(number), dtype=bool)
    cuts[places[(end_of - places) % 3 == 0]] = True
    cuts[begins] = True
    return cuts
