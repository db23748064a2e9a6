"""How a tokenizer was learned, step by step, with counts and scores: rows for `rowspace tokenize trace=20`.

The steps come from the readable references over the very words of the training text; tests hold them to what the
fast trainers learn. A row has step, left, right (null where nothing is joined), piece, count, score, score_is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rowspace.tokenization import reference_unigram
from rowspace.tokenization.base import Tokenizer
from rowspace.tokenization.bpe import BpeOption
from rowspace.tokenization.byte_level import readable_letters
from rowspace.tokenization.likelihood import merge_by_likelihood
from rowspace.tokenization.merges import bpe_words
from rowspace.tokenization.pretokenization import byte_letters
from rowspace.tokenization.pruning import scores_of, unigram_words
from rowspace.tokenization.reference_bpe import Glue, Step, continued, merges
from rowspace.tokenization.spaced import CONTINUES
from rowspace.tokenization.unigram import UnigramOption
from rowspace.tokenization.wordpiece import WordpieceOption
from rowspace.tokenization.words import wordpiece_words

Progress = Callable[[str, int, int], None]
Rows = list[dict[str, Any]]


def bpe_steps(option: BpeOption, texts: Iterable[str], steps: int, progress: Progress | None = None) -> Rows:
    """The first merges of byte-level BPE; equal counts by the smaller pair of ids, as the library decides."""
    found = _by_ids(bpe_words(option, texts), sorted(byte_letters()), steps, progress)
    return [_row(at, step, "count", readable_letters) for at, step in enumerate(found, start=1)]


def wordpiece_steps(
    option: WordpieceOption, texts: Iterable[str], steps: int, progress: Progress | None = None
) -> Rows:
    """The first merges of WordPiece, by its own trainer's rule."""
    words = wordpiece_words(option, texts)
    if option.trainer == "likelihood":
        found: Iterable[Step] = merge_by_likelihood(words, steps, min_frequency=option.min_frequency)
        return [_row(at, step, "freq(ab)/(freq(a)freq(b))") for at, step in enumerate(found, start=1)]
    characters = sorted(set().union(*words))
    alphabet = [*characters, *(CONTINUES + character for character in characters)]
    split = {(word[0], *(CONTINUES + c for c in word[1:])): count for word, count in words.items()}
    found = _by_ids(split, alphabet, steps, progress, glue=continued, min_frequency=option.min_frequency)
    return [_row(at, step, "count") for at, step in enumerate(found, start=1)]


def unigram_steps(
    option: UnigramOption, texts: Iterable[str], tokenizer: Tokenizer, steps: int, progress: Progress | None = None
) -> Rows:
    """The pieces that would be pruned next: expected count after one EM step, and the nats that the text would lose."""
    words = unigram_words(option, texts)
    pieces = {piece: math.exp(score) for piece, score in scores_of(tokenizer).items()}
    expected = dict.fromkeys(pieces, 0.0)
    losses = dict.fromkeys((piece for piece in pieces if len(piece) > 1), 0.0)
    for at, (word, count) in enumerate(words.items()):
        for piece, times in reference_unigram.expected_in(word, pieces).items():
            expected[piece] += count * times
        for piece, nats in reference_unigram.pruning_losses_in(word, pieces).items():
            losses[piece] += count * nats
        if progress is not None and at % 1000 == 0:
            progress("pruning losses", at, len(words))
    cheapest = sorted(losses, key=lambda piece: (losses[piece], piece))[:steps]
    return [
        _as_row(at, None, None, readable_letters(piece), expected[piece], losses[piece], "nats lost if pruned")
        for at, piece in enumerate(cheapest, start=1)
    ]


def most_frequent(tokenizer: Tokenizer, texts: Sequence[str], steps: int) -> Rows:
    """The pieces that were taken for being frequent."""
    encoded = tokenizer.encode_documents([text.encode() for text in texts])
    counts = np.bincount(encoded.ids, minlength=tokenizer.vocab_size)
    order: list[int] = np.argsort(-counts, kind="stable")[:steps].tolist()
    return [
        _as_row(at, None, None, tokenizer.vocabulary[id_], int(counts[id_]), int(counts[id_]), "count")
        for at, id_ in enumerate(order, start=1)
    ]


def _by_ids(
    words: Mapping[Any, int],
    alphabet: Sequence[str],
    steps: int,
    progress: Progress | None,
    glue: Glue | None = None,
    min_frequency: int = 1,
) -> Iterator[Step]:
    """Merges by count, equal ones by ids: the alphabet's place, then the order of learning."""
    ids = {symbol: id_ for id_, symbol in enumerate(alphabet)}
    split = {tuple(word): count for word, count in words.items()}
    rule: dict[str, Any] = {"glue": glue} if glue else {}
    learned = merges(split, order=lambda pair: (ids[pair[0]], ids[pair[1]]), min_frequency=min_frequency, **rule)
    for at, step in zip(range(steps), learned, strict=False):
        ids.setdefault(step.piece, len(ids))
        if progress is not None:
            progress("merging", at + 1, steps)
        yield step


def _row(at: int, step: Step, score_is: str, shown: Callable[[str], str] = lambda piece: piece) -> dict[str, Any]:
    return _as_row(at, shown(step.left), shown(step.right), shown(step.piece), step.count, step.score, score_is)


def _as_row(at: int, left: str | None, right: str | None, piece: str, count: float, score: float, score_is: str) -> Any:
    return {
        "step": at,
        "left": left,
        "right": right,
        "piece": piece,
        "count": float(count),
        "score": float(score),
        "score_is": score_is,
    }
