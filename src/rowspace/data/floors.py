"""What models that know little would lose on a stream: the marks beside which a loss is read.

Nats are summed over the same targets as the model's: every token but the first, `<eos>` included, where the objective
is the next token.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rowspace.data.ledger import Audit, bits_per_byte
from rowspace.data.stream import TokenStream
from rowspace.table import Missing


@dataclass(frozen=True)
class Floor:
    """Loss of a simple model on a stream: `nats` in all, `nats_per_token`, and bits per byte where they exist."""

    nats: float
    nats_per_token: float
    bpb: float | Missing


def uniform(stream: TokenStream, audit: Audit) -> Floor:
    """Every token equally likely: ln V a token. What an untrained model should lose."""
    return _floor((stream.N - 1) * math.log(stream.vocab_size), stream, audit)


def unigram(stream: TokenStream, train_counts: np.ndarray, audit: Audit) -> Floor:
    """Every token by its training frequency, add-one: p(v) = (count + 1) / (all counts + V). `train_counts` (V,)."""
    if train_counts.shape != (stream.vocab_size,):
        raise ValueError(f"counts of shape {train_counts.shape} do not count a vocabulary of {stream.vocab_size}")
    return _floor(float(target_counts(stream) @ surprise(train_counts)), stream, audit)


def surprise(train_counts: np.ndarray) -> np.ndarray:
    """-ln p(v) of each token by its training frequency, add-one: (V,) nats."""
    return math.log(int(train_counts.sum()) + len(train_counts)) - np.log(train_counts + 1.0)


def bigram_entropy(stream: TokenStream) -> float:
    """Entropy of the next token given one token before it, in nats a token, of the stream's own pairs.

    What the best table of pairs loses on this very stream: the floor of `body=none position=none` trained on it.
    """
    ids = stream.ids.astype(np.int64)
    _, pairs = np.unique(ids[:-1] * stream.vocab_size + ids[1:], return_counts=True)
    singles = np.bincount(ids[:-1])
    total = len(ids) - 1
    return float((_sum_n_log_n(singles) - _sum_n_log_n(pairs)) / total)


def target_counts(stream: TokenStream) -> np.ndarray:
    """Occurrences of each id as a target, (V,) int64: all tokens but the first."""
    counts = stream.counts(stream.vocab_size)
    counts[stream.ids[0]] -= 1
    return counts


def scored_counts(batches: Iterable[Any], vocab_size: int) -> np.ndarray:
    """Occurrences of each id among the targets that the batches score, (V,) int64."""
    counts = np.zeros(vocab_size, dtype=np.int64)
    for batch in batches:
        counts += np.bincount(batch.targets[batch.targets >= 0].numpy(), minlength=vocab_size)
    return counts


def _sum_n_log_n(counts: np.ndarray) -> float:
    present = counts[counts > 0].astype(np.float64)
    return float(present @ np.log(present))


def _floor(nats: float, stream: TokenStream, audit: Audit) -> Floor:
    return Floor(nats, nats / (stream.N - 1), bits_per_byte(nats, audit))
