"""word and wordpiece: fitting. Encoding, decoding and bytes are in `spaced.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tokenizers import Regex, models, normalizers, pre_tokenizers, trainers
from tokenizers import Tokenizer as Library

from rowspace.tokenization.base import UNK
from rowspace.tokenization.library import about, too_large, too_small, with_specials
from rowspace.tokenization.likelihood import merge_by_likelihood
from rowspace.tokenization.pretokenization import Sections, count_words, spaced, word_class
from rowspace.tokenization.spaced import CONTINUES, SpacedTokenizer
from rowspace.tokenization.word import WordOption
from rowspace.tokenization.wordpiece import WordpieceOption

Progress = Callable[[str, int, int], None]
ALGORITHMS = {
    "frequency": "WordPiece by frequency: the most frequent pair first (BPE with ##)",
    "likelihood": "WordPiece by likelihood: largest freq(ab) / (freq(a) freq(b)) first",
}
LONGEST_WORD = 100
"""Characters beyond which a word is UNK (BERT), and nothing is learned from it; pre-tokenization cuts far beyond it."""


def word_tokenizer(option: WordOption, texts: Iterable[str]) -> SpacedTokenizer:
    """The most frequent words and gaps, none too long; equal counts in alphabetical order."""
    counts = _counts(option, texts)
    first = [*option.special_tokens, UNK]
    room = option.vocab_size - len(first)
    if len(counts) < room:
        raise too_large(option, len(counts) + len(first), f"it has {len(counts)} different words and marks")
    chosen = sorted(counts, key=lambda word: (-counts[word], word))[:room]
    vocabulary = {piece: id_ for id_, piece in enumerate([*first, *chosen])}
    return _built(option, models.WordLevel(vocabulary, unk_token=UNK), "words by count")


def wordpiece_tokenizer(option: WordpieceOption, texts: Iterable[str], progress: Progress | None) -> SpacedTokenizer:
    """Every character of the texts, at the start of a word and inside one, then pieces in the order of their merges.

    So a word is UNK only if it holds a character that the training text lacks, or is too long.
    """
    texts = list(texts)
    counts = wordpiece_words(option, texts)
    characters = sorted(set().union(*counts))
    alphabet = [*characters, *(CONTINUES + character for character in characters)]
    first = [*option.special_tokens, UNK, *alphabet]
    if option.vocab_size < len(first):
        raise too_small(option, len(first), f"its {len(characters)} characters, at the start of a word and inside one")
    if option.trainer == "likelihood":
        most, least = option.vocab_size - len(first), option.min_frequency
        learned = [merge.piece for merge in merge_by_likelihood(counts, most, min_frequency=least, progress=progress)]
    else:
        learned = _merged_by_frequency(option, texts, first)
    pieces = [*first, *learned]
    if len(pieces) < option.vocab_size:
        raise too_large(option, len(pieces), f"then no pair of pieces is left that occurs {option.min_frequency} times")
    model = models.WordPiece(
        {piece: id_ for id_, piece in enumerate(pieces)},
        unk_token=UNK,
        continuing_subword_prefix=CONTINUES,
        max_input_chars_per_word=LONGEST_WORD,
    )
    return _built(option, model, f"{ALGORITHMS[option.trainer]}, pairs seen at least {option.min_frequency} times")


def wordpiece_words(option: WordpieceOption, texts: Iterable[str]) -> dict[str, int]:
    """What the pieces are learned from: words and gap units with counts, those that are too long left out."""
    return _counts(option, texts)


def _merged_by_frequency(option: WordpieceOption, texts: list[str], first: list[str]) -> list[str]:
    """Pieces by the library's BPE with "##", in the order of their merges.

    Its WordPieceTrainer is the same thing, but gives the letters ids in an order that changes from run to run, by
    which equal counts are decided; here the alphabet has its ids before the words are read.
    """
    library = Library(models.BPE())
    if (normalizer := _normalizer(option)) is not None:
        library.normalizer = normalizer  # type: ignore[assignment]
    library.pre_tokenizer = _to_learn_from(option)  # type: ignore[assignment]
    trainer = trainers.BpeTrainer(
        vocab_size=option.vocab_size,
        min_frequency=option.min_frequency,
        special_tokens=first,
        continuing_subword_prefix=CONTINUES,
        show_progress=False,
    )
    library.train_from_iterator(_sections(option).strings(texts), trainer)
    return sorted(library.get_vocab(), key=library.get_vocab().__getitem__)[len(first) :]


def _counts(option: WordOption | WordpieceOption, texts: Iterable[str]) -> dict[str, int]:
    """Words and gap units with counts, those that are too long left out."""
    return count_words(_sections(option).strings(texts), _to_learn_from(option), _normalizer(option))


def _sections(option: WordOption | WordpieceOption) -> Sections:
    return Sections(vanishes=True, cut=spaced(digits=option.digits, whitespace=option.whitespace))


def _to_learn_from(option: WordOption | WordpieceOption) -> pre_tokenizers.PreTokenizer:
    """The cut of the tokenizer itself, and words that are too long taken out."""
    too_long = pre_tokenizers.Split(Regex(rf"\w{{{LONGEST_WORD + 1},}}"), "removed")
    return pre_tokenizers.Sequence([spaced(digits=option.digits, whitespace=option.whitespace), too_long])


def _normalizer(option: WordOption | WordpieceOption) -> normalizers.Normalizer | None:
    return normalizers.Lowercase() if option.lowercase else None


def _built(option: WordOption | WordpieceOption, model: Any, algorithm: str) -> SpacedTokenizer:
    """The tokenizer around a fitted model."""
    library = Library(model)
    if (normalizer := _normalizer(option)) is not None:
        library.normalizer = normalizer  # type: ignore[assignment]
    library.pre_tokenizer = spaced(digits=option.digits, whitespace=option.whitespace)  # type: ignore[assignment]
    behaviour = {
        "whitespace": option.whitespace,
        "word": word_class(option.digits),
        "continues": isinstance(option, WordpieceOption),
    }
    text = with_specials(library, option)
    return SpacedTokenizer(text, name=option.name, behaviour=behaviour, about=about(option, algorithm))
