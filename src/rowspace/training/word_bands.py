"""Bits per byte of common and of rare words, on the same bytes whatever the tokenizer.

A word is what whitespace sets apart, together with the whitespace before it; its band is how often the training text
has it. A token's nats are spread evenly over its bytes, so that one which spans two words gives each its share. Loss by
frequency of tokens (`bands.py`) cannot be compared between tokenizers, since their rare tokens are other text. What
belongs to no word, `<eos>` and whitespace at the end of a document, is left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rowspace.answers import Shown
from rowspace.data.ledger import Audit
from rowspace.table import Missing

FLOORS = (0, 1, 10, 100, 1000)
"""Lowest training count of each band: words never seen, 1 to 9 times, 10 to 99, 100 to 999, and oftener."""
_WORD = re.compile(rb"\s*(\S+)")


@dataclass(frozen=True)
class WordBand:
    """Sums over the words of a scored text that training has at least `floor` times, and less often than the next
    band's: how many there are, their bytes, and their nats by the model and by token frequency."""

    floor: int
    words: int
    bytes: int
    nats: float
    unigram_nats: float


class WordCounts:
    """How often the training text has each word, counted in one pass when first asked for.

    Takes memory for each distinct word of the training text.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._texts = texts
        self._counts: Counter[bytes] | None = None

    def of(self, words: Iterable[bytes]) -> np.ndarray:
        """Training counts of the words, int64."""
        if self._counts is None:
            self._counts = Counter()
            for text in self._texts:
                self._counts.update(text.split())
        counts = self._counts
        return np.fromiter((counts[word] for word in words), dtype=np.int64)


def measure_words(
    texts: Iterable[bytes],
    counts: WordCounts,
    *,
    sizes: np.ndarray,
    nats: np.ndarray,
    unigram_nats: np.ndarray,
    audit: Audit,
) -> tuple[WordBand, ...] | Missing:
    """The bands of the scored documents, rarest words first.

    `sizes` (n,) bytes of each scored token in the order of the text, `nats` and `unigram_nats` (n,) float64 what it
    cost. Missing where the byte audit of the same tokens is not exact.
    """
    if audit.verdict != "exact":
        return Missing(audit.reason or "the byte audit failed")
    words, begins, ends, done = [], [], [], 0
    for text in texts:
        for found in _WORD.finditer(text):
            words.append(found[1])
            begins.append(done + found.start())
            ends.append(done + found.end())
        done += len(text)
    begin, end = np.array(begins, dtype=np.int64), np.array(ends, dtype=np.int64)
    places = np.searchsorted(FLOORS, counts.of(words), side="right") - 1
    held = sizes > 0
    reached = np.concatenate([[0], np.cumsum(sizes[held], dtype=np.int64)])
    columns = [np.ones(len(words)), (end - begin).astype(np.float64)]
    for values in (nats, unigram_nats):
        spent = np.concatenate([[0.0], np.cumsum(values[held], dtype=np.float64)])
        columns.append(np.interp(end, reached, spent) - np.interp(begin, reached, spent))
    sums = [np.bincount(places, weights=column, minlength=len(FLOORS)) for column in columns]
    return tuple(
        WordBand(floor, int(n), int(size), float(lost), float(known))
        for floor, n, size, lost, known in zip(FLOORS, *sums, strict=True)
    )


def name_words(bands: Sequence[WordBand] | Missing) -> dict[str, float | Missing]:
    """`bpb_words_from_{floor}` and its `/null`, what token frequency alone costs on the same bytes."""
    found: dict[str, float | Missing] = {}
    for place, floor in enumerate(FLOORS):
        band = bands if isinstance(bands, Missing) else bands[place]
        for end, value in zip(("", "/null"), _bits(band), strict=True):
            found[f"bpb_words_from_{floor}{end}"] = value
    return found


def show_words(bands: Sequence[WordBand] | Missing | None) -> list[Shown]:
    """A table of the test's bands for people; none where they were not measured."""
    if bands is None or isinstance(bands, Missing):
        return []
    total = sum(band.bytes for band in bands)
    rows = []
    for band, above in zip(bands, [*FLOORS[1:], None], strict=True):
        own, known = _bits(band)
        if not isinstance(own, Missing) and not isinstance(known, Missing):
            gain = f"{'✓' if known > own else '✗'} {known - own:+.3f}"
            share = f"{band.bytes / total:.1%}"
            rows.append([_name(band.floor, above), f"{band.words:,}", share, f"{own:.3f}", f"{known:.3f}", gain])
    head = ["training has it", "words", "share of the bytes", "bits per byte", "by token frequency alone", "gain"]
    return [Shown("test loss by how often training has the word", head, rows)]


def _bits(band: WordBand | Missing) -> tuple[float | Missing, float | Missing]:
    """Bits per byte by the model, and by token frequency."""
    if isinstance(band, Missing):
        return band, band
    if not band.bytes:
        none = Missing("no scored word is as rare or as common as this")
        return none, none
    return band.nats / (math.log(2) * band.bytes), band.unigram_nats / (math.log(2) * band.bytes)


def _name(floor: int, above: int | None) -> str:
    if above is None:
        return f"{floor:,} times and oftener"
    return "never" if floor == 0 else f"{floor:,} to {above - 1:,} times"
