"""Where text is cut before a tokenizer learns or encodes: two families of patterns, and the words that they give.

Byte-level (bpe, unigram): GPT-2's pattern with three changes: marks stay with their letters, a run is at most
`LONGEST` characters (a megabyte without a space would otherwise be one word), and digits may be cut finer.
Spaced (word, wordpiece): runs of word characters, of at most `LONGEST` too; a single space between two of them
vanishes, since decode knows where it stood; everything else is cut into punctuation marks (with the spaces that touch
them) and white space. No vocabulary holds a word of `LONGEST` characters, so a text with a run that was cut has an
`<unk>`, and never seems to come back.
Patterns are Oniguruma's, run by the `tokenizers` library. Nothing is dropped by any but `whitespace: dropped`.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

import numpy as np
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers
from tokenizers.normalizers import Normalizer
from tokenizers.pre_tokenizers import PreTokenizer

Text = TypeVar("Text", str, bytes)
LONGEST = 256
"""Characters of the longest run that stays whole."""
THREES = r"\p{N}{1,3}(?=(?:\p{N}{3}){0,40}(?!\p{N}))|\p{N}{1,3}"
"""Groups of three counted from the right, of up to 120 digits (beyond, from the left: the look-ahead stays short)."""
SECTION = 1 << 16
"""Characters beyond which a text is learned from and encoded in sections."""
LOOK_AHEAD = 1024
"""Characters that decide where a word ends: more than the longest word and the longest look-ahead."""
_LETTER = "[A-Za-z\u0410-\u044f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3]"
_MARK = "[\n.,;:!?)>}=\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]"
_CUT = re.compile(f"(?<=[a-z]) (?=[a-z])|(?<={_MARK})(?={_LETTER})")
DIGITS = {"none": None, "single": r"\p{N}", "threes": THREES}


def byte_letters() -> list[str]:
    """The letter that stands for each byte (256 of them), so that byte strings can travel as text (GPT-2).

    Bytes that print as Latin-1 characters stand for themselves, the others for U+0100, U+0101, ... in byte order.
    """
    printing = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = itertools.count(0x100)
    return [chr(byte) if byte in printing else chr(next(others)) for byte in range(256)]


def byte_level_pattern(*, digits: str, whitespace: str) -> str:
    """The pattern whose matches are the words of a byte-level tokenizer."""
    run = f"{{1,{LONGEST}}}"
    letters, marks = rf"[\p{{L}}\p{{M}}]{run}", rf"[^\s\p{{L}}\p{{M}}\p{{N}}]{run}"
    numbers = DIGITS[digits]
    if whitespace == "apart":
        return "|".join([letters, numbers or rf"\p{{N}}{run}", marks, rf"\s{run}"])
    endings = "'s|'t|'re|'ve|'m|'ll|'d"
    return "|".join(
        [endings, f" ?{letters}", numbers or rf" ?\p{{N}}{run}", f" ?{marks}", rf"\s{run}(?!\S)", rf"\s{run}"]
    )


def byte_level(*, digits: str, whitespace: str) -> PreTokenizer:
    """Cut by `byte_level_pattern`, then write each byte as its letter."""
    cut = pre_tokenizers.Split(Regex(byte_level_pattern(digits=digits, whitespace=whitespace)), "isolated")
    return pre_tokenizers.Sequence([cut, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def word_class(digits: str) -> str:
    """The characters that words are made of; digits are none of them where numbers are cut."""
    return r"[\w&&[^\p{N}]]" if DIGITS[digits] else r"\w"


def spaced(*, digits: str, whitespace: str) -> PreTokenizer:
    """Cut into words and gap units (see the module's docstring)."""
    inside, numbers = word_class(digits), DIGITS[digits]
    outside = r"[^\w\s\p{N}]" if numbers else r"[^\w\s]"
    if whitespace == "dropped":
        forgotten, unit = r"\s+", outside
    else:
        forgotten, unit = f"(?<={inside}) (?={inside})", rf" ?{outside} ?|\s"
    words = "|".join(part for part in (numbers, f"{inside}{{1,{LONGEST}}}", unit) if part)
    return pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(forgotten), "removed"), pre_tokenizers.Split(Regex(words), "isolated")]
    )


def digits_of(stored: object, whitespace: str) -> str | None:
    """The `digits` with which `spaced` gave this pre-tokenizer, as it is stored; None where it gives another now."""
    library = Tokenizer(models.WordLevel({"": 0}, unk_token=""))
    for digits in DIGITS:
        library.pre_tokenizer = spaced(digits=digits, whitespace=whitespace)  # type: ignore[assignment]
        if json.loads(library.to_str())["pre_tokenizer"] == stored:
            return digits
    return None


class Sections:
    """Cuts a long text where a new word begins whatever stands around, so that memory stays bounded.

    Learning from and encoding the sections one by one is the same as the whole. Cuts are made at a space between two
    ASCII letters (it goes to the later section, or nowhere where it `vanishes`), or between a mark and a letter. Text
    without either is cut where its own pre-tokenizer `cut` does; that one must decide by less than `LOOK_AHEAD`
    characters ahead, and look back at no more than the character before a space.
    """

    def __init__(self, *, vanishes: bool, cut: PreTokenizer) -> None:
        self._vanishes = vanishes
        self._cut = cut

    def of(self, text: str) -> Iterator[tuple[str, int]]:
        """The sections, each with the number of bytes (0 or 1) that vanished before it."""
        start = vanished = 0
        while len(text) - start > SECTION:
            if found := _CUT.search(text, start + SECTION // 2, start + SECTION):
                end, after = found.span()
                after = after if self._vanishes else end
            else:
                end, after = (start + place for place in self._between(text[start : start + SECTION]))
            yield text[start:end], vanished
            start, vanished = after, after - end
        yield text[start:] if start else text, vanished

    def strings(self, texts: Iterable[str]) -> Iterator[str]:
        """The sections of many texts."""
        return (section for text in texts for section, _ in self.of(text))

    def _between(self, window: str) -> tuple[int, int]:
        """Where a section that begins like `window` ends, and where the next begins: the same, or behind one space.

        Never between two digits, if that can be: groups of three count from the end of a number. In a number that fills
        the window they count from its start, so its middle is as good.
        """
        spans = [span for _, span in self._cut.pre_tokenize_str(window)]
        last = len(window) - LOOK_AHEAD
        places = [
            (end, start if window[end:start] == " " else end)
            for (_, end), (start, _) in itertools.pairwise([*spans, (len(window), 0)])
            if end <= last
        ]
        if not places:
            return last, last  # nothing but white space that is dropped
        good = (place for place in reversed(places) if not window[place[0] - 1 : place[1] + 1].isnumeric())
        return next(good, places[len(places) // 2])


def batches(texts: Iterable[Text], size: int) -> Iterator[list[Text]]:
    """Consecutive texts (or documents), so many that they hold about `size` characters (or bytes) together."""
    batch: list[Text] = []
    room = size
    for text in texts:
        batch.append(text)
        room -= len(text)
        if room <= 0:
            yield batch
            batch, room = [], size
    if batch:
        yield batch


def count_words(texts: Iterable[str], cut: PreTokenizer, normalizer: Normalizer | None = None) -> dict[str, int]:
    """Every pre-token of the texts with its count, in the order of first occurrence.

    The library's own word-level model does the counting: a pass to learn the words and one to look them up.
    """
    texts = list(texts)
    library = Tokenizer(models.WordLevel({"": 0}, unk_token=""))
    library.pre_tokenizer = cut  # type: ignore[assignment]
    if normalizer is not None:
        library.normalizer = normalizer  # type: ignore[assignment]
    everything = trainers.WordLevelTrainer(vocab_size=2**62, min_frequency=0, show_progress=False, special_tokens=[""])
    library.train_from_iterator(texts, everything, length=len(texts))
    words = [word for word, _ in sorted(library.get_vocab().items(), key=lambda entry: entry[1])]
    counts: dict[int, int] = {}
    for batch in batches(texts, 1 << 20):
        encoded = library.encode_batch_fast(batch, add_special_tokens=False)
        ids = np.fromiter(itertools.chain.from_iterable(one.ids for one in encoded), dtype=np.int64)
        distinct, first, seen = np.unique(ids, return_index=True, return_counts=True)
        order = np.argsort(first)
        for id_, count in zip(distinct[order].tolist(), seen[order].tolist(), strict=True):
            counts[id_] = counts.get(id_, 0) + count
    return {words[id_]: count for id_, count in counts.items()}


def within(words: dict[str, int], most: int) -> dict[str, int]:
    """The words themselves where they hold at most `most` characters together, else those of the largest counts.

    What a trainer needs grows with its different words, and text without spaces has no word twice.
    """
    if sum(map(len, words)) <= most:
        return words
    kept: dict[str, int] = {}
    for word in sorted(words, key=lambda word: -words[word]):
        most -= len(word)
        if most < 0:
            break
        kept[word] = words[word]
    return kept
