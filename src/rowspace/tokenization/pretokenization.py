"""Where text is cut before a tokenizer learns or encodes: two families of patterns, and the words that they give.

Byte-level (bpe, unigram): GPT-2's pattern with three changes: marks stay with their letters, a run is at most
`LONGEST` characters (a megabyte without a space would otherwise be one word), and digits may be cut finer.
Spaced (word, wordpiece): runs of word characters; a single space between two of them vanishes, since decode knows
where it stood; everything else is cut into punctuation marks (with the spaces that touch them) and white space.
Patterns are Oniguruma's, run by the `tokenizers` library. Nothing is dropped by any but `whitespace: dropped`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

import numpy as np
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers
from tokenizers.normalizers import Normalizer
from tokenizers.pre_tokenizers import PreTokenizer

LONGEST = 256
"""Characters of the longest run that stays whole."""
THREES = r"\p{N}{1,3}(?=(?:\p{N}{3}){0,40}(?!\p{N}))|\p{N}{1,3}"
"""Groups of three counted from the right, of up to 120 digits (beyond, from the left: the look-ahead stays short)."""
SECTION = 1 << 16
"""Characters beyond which a text is learned from and encoded in sections."""
_CUT = re.compile(r"(?<=[a-z]) (?=[a-z])")
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
    words = "|".join(part for part in (numbers, f"{inside}+", unit) if part)
    return pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(forgotten), "removed"), pre_tokenizers.Split(Regex(words), "isolated")]
    )


def sections(text: str, *, space_vanishes: bool) -> Iterator[str]:
    """A long text cut at spaces between two ASCII letters, where a new word begins in every pattern here.

    Encoding section by section gives the ids of the whole, in bounded memory. The space goes to the later section,
    or nowhere where it vanishes (`spaced` with white space kept or dropped). Texts without such a space stay whole.
    """
    start = 0
    while len(text) - start > SECTION and (cut := _CUT.search(text, start + SECTION)):
        yield text[start : cut.start()]
        start = cut.end() if space_vanishes else cut.start()
    yield text[start:] if start else text


def batches(texts: Iterable[str], characters: int) -> Iterator[list[str]]:
    """Consecutive texts, so many that they hold about `characters` characters together."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= characters:
            yield batch
            batch, size = [], 0
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
    for batch in batches(texts, 1 << 22):
        encoded = library.encode_batch_fast(batch, add_special_tokens=False)
        ids = np.fromiter(itertools.chain.from_iterable(one.ids for one in encoded), dtype=np.int64)
        distinct, first, seen = np.unique(ids, return_index=True, return_counts=True)
        order = np.argsort(first)
        for id_, count in zip(distinct[order].tolist(), seen[order].tolist(), strict=True):
            counts[id_] = counts.get(id_, 0) + count
    return {words[id_]: count for id_, count in counts.items()}
