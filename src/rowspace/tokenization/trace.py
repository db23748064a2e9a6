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

WORDS = 20_000
"""Most frequent words over which a Unigram model is taken apart (all of them would take minutes)."""
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
        return [_row(at, step, "freq(ab)/(freq(a)freq(b))", str) for at, step in enumerate(found, start=1)]
    characters = sorted(set().union(*words))
    alphabet = [*characters, *(CONTINUES + character for character in characters)]
    split = {(word[0], *(CONTINUES + c for c in word[1:])): count for word, count in words.items()}
    found = _by_ids(split, alphabet, steps, progress, glue=continued, min_frequency=option.min_frequency)
    return [_row(at, step, "count", str) for at, step in enumerate(found, start=1)]


def unigram_steps(
    option: UnigramOption, texts: Iterable[str], tokenizer: Tokenizer, steps: int, progress: Progress | None = None
) -> Rows:
    """The pieces that would be pruned next: expected count after one EM step, and the nats that the text would lose."""
    words = unigram_words(option, texts)
    words = dict(sorted(words.items(), key=lambda entry: -entry[1])[:WORDS])
    pieces = {piece: math.exp(score) for piece, score in scores_of(tokenizer).items()}
    if progress is not None:
        progress("pruning losses", 0, 1)
    expected = reference_unigram.expected_counts(words, pieces)
    losses = reference_unigram.pruning_losses(words, pieces)
    cheapest = sorted(losses, key=lambda piece: (losses[piece], piece))[:steps]
    note = f"nats lost if pruned, over the {len(words)} most frequent words"
    return [
        _as_row(at, None, None, readable_letters(piece), expected[piece], losses[piece], note)
        for at, piece in enumerate(cheapest, start=1)
    ]


def most_frequent(tokenizer: Tokenizer, texts: Sequence[str], steps: int) -> Rows:
    """The pieces that were taken for being frequent."""
    encoded = tokenizer.encode_documents([text.encode() for text in texts])
    counts = np.bincount(encoded.ids, minlength=tokenizer.vocab_size)
    order = np.argsort(-counts, kind="stable")[:steps].tolist()
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


def _row(at: int, step: Step, score_is: str, shown: Callable[[str], str]) -> dict[str, Any]:
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
