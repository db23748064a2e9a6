"""The Unigram language model to read: every way to cut a word, its probability, the best one, one EM step, and what
pruning each piece would cost.

A word's probability is the sum over its segmentations of the product of its pieces' probabilities. Slow and plain:
for tests and for `rowspace tokenize trace=20`. Training for use is `pruning.py`. Source: Kudo 2018, section 3.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

Pieces = Mapping[str, float]
"""Probability of each piece."""


def segmentations(word: str, pieces: Pieces) -> dict[tuple[str, ...], float]:
    """Every segmentation of the word with its probability."""
    if not word:
        return {(): 1.0}
    found: dict[tuple[str, ...], float] = {}
    for end in range(1, len(word) + 1):
        head = word[:end]
        if head in pieces:
            for tail, probability in segmentations(word[end:], pieces).items():
                found[(head, *tail)] = pieces[head] * probability
    return found


def best(word: str, pieces: Pieces, *, without: str | None = None) -> tuple[list[str], float]:
    """The most probable segmentation and its natural log probability (Viterbi); -inf when there is none.

    `without` is a piece that may not be used.
    """
    score = [0.0] + [-math.inf] * len(word)
    cut = [0] * (len(word) + 1)
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            probability = pieces.get(piece, 0.0) if piece != without else 0.0
            if probability and (reached := score[start] + math.log(probability)) > score[end]:
                score[end], cut[end] = reached, start
    if score[-1] == -math.inf:
        return [], score[-1]
    found: list[str] = []
    end = len(word)
    while end:
        found.insert(0, word[cut[end] : end])
        end = cut[end]
    return found, score[-1]


def loss(words: Mapping[str, int], pieces: Pieces) -> float:
    """Negative log probability of the best segmentations of all words, in nats."""
    return -sum(count * best(word, pieces)[1] for word, count in words.items())


def marginal_loss(words: Mapping[str, int], pieces: Pieces) -> float:
    """Negative log probability of the words, all segmentations together, in nats: what EM brings down."""
    return -sum(count * _forward(word, pieces)[-1] for word, count in words.items())


def _forward(word: str, pieces: Pieces) -> list[float]:
    """Natural log probability of each beginning of the word, over all its segmentations (long words underflow)."""
    alpha = [0.0]
    for end in range(1, len(word) + 1):
        alpha.append(_log_sum(alpha[start] + _log(pieces, word[start:end]) for start in range(end)))
    return alpha


def _backward(word: str, pieces: Pieces) -> list[float]:
    """The same of each ending of the word."""
    beta = [0.0]
    for start in range(len(word) - 1, -1, -1):
        ends = range(start + 1, len(word) + 1)
        beta.append(_log_sum(_log(pieces, word[start:end]) + beta[len(word) - end] for end in ends))
    return beta[::-1]


def _log(pieces: Pieces, piece: str) -> float:
    return math.log(pieces[piece]) if pieces.get(piece) else -math.inf


def _log_sum(logs: Iterable[float]) -> float:
    found = [log for log in logs if log > -math.inf]
    if not found:
        return -math.inf
    largest = max(found)
    return largest + math.log(sum(math.exp(log - largest) for log in found))


def expected_counts(words: Mapping[str, int], pieces: Pieces) -> dict[str, float]:
    """How often each piece is used on average, over all segmentations (E step)."""
    expected = dict.fromkeys(pieces, 0.0)
    for word, count in words.items():
        for piece, times in expected_in(word, pieces).items():
            expected[piece] += count * times
    return expected


def expected_in(word: str, pieces: Pieces) -> dict[str, float]:
    """How often each piece is used on average in one word (forward-backward)."""
    alpha, beta = _forward(word, pieces), _backward(word, pieces)
    expected: dict[str, float] = {}
    for start in range(len(word)):
        for end in range(start + 1, len(word) + 1):
            piece = word[start:end]
            if piece in pieces:
                share = math.exp(alpha[start] + _log(pieces, piece) + beta[end] - alpha[-1])
                expected[piece] = expected.get(piece, 0.0) + share
    return expected


def em_step(words: Mapping[str, int], pieces: Pieces) -> dict[str, float]:
    """New probabilities: expected counts, divided by their sum (M step)."""
    expected = expected_counts(words, pieces)
    total = sum(expected.values())
    return {piece: count / total for piece, count in expected.items()}


def pruning_losses(words: Mapping[str, int], pieces: Pieces) -> dict[str, float]:
    """By how many nats `loss` rises when a piece alone is taken away (the others keep their probabilities).

    Single characters are never taken away.
    """
    rise = {piece: 0.0 for piece in pieces if len(piece) > 1}
    for word, count in words.items():
        for piece, nats in pruning_losses_in(word, pieces).items():
            rise[piece] += count * nats
    return rise


def pruning_losses_in(word: str, pieces: Pieces) -> dict[str, float]:
    """The nats that one word loses with each piece of its best segmentation; no other piece matters to it."""
    cut, score = best(word, pieces)
    used = {piece for piece in cut if len(piece) > 1}
    return {piece: score - best(word, pieces, without=piece)[1] for piece in used}
