"""bpe by the `tokenizers` library: fitting, and cutting a fitted tokenizer down to a smaller V without loss."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tokenizers import Tokenizer as Library
from tokenizers import decoders, models, pre_tokenizers, trainers

from rowspace.tokenization.base import Tokenizer
from rowspace.tokenization.bpe import BpeOption
from rowspace.tokenization.byte_level import ByteLevelTokenizer
from rowspace.tokenization.library import about, learned_from, too_large, with_specials
from rowspace.tokenization.pretokenization import Sections, byte_level, count_words, within
from rowspace.tokenization.reference_bpe import encode

ALGORITHM = "byte-level BPE: the most frequent pair first, equal counts by the smaller pair of ids"


LEARNED_FROM = 1 << 24
"""Bytes of different words that are learned from, the most frequent ones: the library needs some 130 times as many."""


def bpe_tokenizer(option: BpeOption, texts: Iterable[str]) -> ByteLevelTokenizer:
    """Merges until there are V pieces. ConfigError when every word is one piece before that."""
    texts = list(texts)
    cut = byte_level(digits=option.digits, whitespace=option.whitespace)
    library = Library(models.BPE())
    library.pre_tokenizer = cut  # type: ignore[assignment]
    library.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    trainer = trainers.BpeTrainer(
        vocab_size=option.vocab_size,
        special_tokens=option.special_tokens,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),  # all 256: without it unseen bytes vanish silently
        show_progress=False,
    )
    chosen = ""
    if sum(len(text.encode()) for text in texts) <= LEARNED_FROM:
        library.train_from_iterator(Sections(vanishes=False, cut=cut).strings(texts), trainer)
    else:
        everything = count_words(Sections(vanishes=False, cut=cut).strings(texts), cut)
        words = within(everything, LEARNED_FROM)
        chosen = learned_from(words, everything)
        library.pre_tokenizer = None  # type: ignore[assignment]  # the words are cut already
        library.train_from_iterator(_repeated(words), trainer)
        library.pre_tokenizer = cut  # type: ignore[assignment]
    if library.get_vocab_size() < option.vocab_size:
        raise too_large(option, library.get_vocab_size(), "then every word is one piece")
    return ByteLevelTokenizer(
        with_specials(library, option), name=option.name, behaviour={}, about=about(option, ALGORITHM + chosen)
    )


def bpe_words(option: BpeOption, texts: Iterable[str]) -> dict[str, int]:
    """What the merges are learned from: words in the 256 letters, with counts."""
    cut = byte_level(digits=option.digits, whitespace=option.whitespace)
    return within(count_words(Sections(vanishes=False, cut=cut).strings(texts), cut), LEARNED_FROM)


def reapplied(option: BpeOption, tokenizer: Tokenizer, text: str, *, reverse: bool = False) -> list[list[int]]:
    """Ids of each word of the text, found by applying every recorded merge to it in the order of learning.

    What the library does in one pass, done as it is described, merge after merge; or in the `reverse` order, to see
    what the order is worth. Slow: each merge is tried on each word.
    """
    stored = json.loads(tokenizer.json)["model"]  # type: ignore[attr-defined]
    learned = [(left, right) for left, right in stored["merges"]]
    cut = byte_level(digits=option.digits, whitespace=option.whitespace)
    ordered = learned[::-1] if reverse else learned
    words = [word for word, _ in cut.pre_tokenize_str(text)]
    return [[stored["vocab"][piece] for piece in encode(tuple(word), ordered)] for word in words]


def _repeated(words: Mapping[str, int]) -> Iterator[str]:
    return (word for word, count in words.items() for _ in range(count))


def truncated(tokenizer: Tokenizer, vocab_size: int) -> ByteLevelTokenizer:
    """The bpe tokenizer that fitting at the smaller V would have given: the first pieces, their ids and merges."""
    if not isinstance(tokenizer, ByteLevelTokenizer) or tokenizer.name != "bpe":
        raise TypeError("only a fitted bpe tokenizer can be cut")
    stored = json.loads(tokenizer.json)
    model: dict[str, Any] = stored["model"]
    model["vocab"] = {piece: id_ for piece, id_ in model["vocab"].items() if id_ < vocab_size}
    model["merges"] = _first_merges(model["merges"], model["vocab"])
    text = Library.from_str(json.dumps(stored)).to_str()
    found = {**tokenizer.about, "asked": vocab_size}
    return ByteLevelTokenizer(text, name="bpe", behaviour=tokenizer.behaviour, about=found)


def _first_merges(merges: Sequence[Sequence[str]], vocabulary: dict[str, int]) -> list[Sequence[str]]:
    """The merges that were learned before the vocabulary was full.

    Two merges may give the same piece ("a"+"bc", "ab"+"c"), so merges are not counted: the last one kept is the
    first that gives the piece with the largest id.
    """
    last = max(vocabulary.values())
    for index, (left, right) in enumerate(merges):
        if vocabulary.get(left + right) == last:
            return list(merges[: index + 1])
    return []
