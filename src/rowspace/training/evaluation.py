"""Audited bits per byte of a model on a split.

Nats and bytes are summed over the same scored targets. The number exists only where the ledger has decoded every
document back to its very bytes and the bytes of the scored tokens add up to them; else it is missing, with the reason.
An objective that predicts a part of the text has a loss, and no bits per byte.
Beside it stands the loss less that of token frequencies alone, which exists for every tokenizer.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from rowspace.data.batch import Batch
from rowspace.data.batches import EvaluationBatches
from rowspace.data.floors import surprise
from rowspace.data.ledger import Audit, audit, bits_per_byte
from rowspace.data.stream import TokenStream
from rowspace.model.language_model import LanguageModel
from rowspace.table import Missing
from rowspace.tokenization.base import Tokenizer
from rowspace.training.bands import Band, BandSums, name_losses
from rowspace.training.word_bands import WordBand, WordCounts, measure_words, name_words


@dataclass(frozen=True)
class Evaluation:
    """Sums over every scored target of a split, and the ledger's verdict on its bytes.

    `unigram_nats` are those of the same targets by their frequency in training; `bands` are the same sums for targets
    of each tenth of the vocabulary by training count, and `words` for words by theirs, where they were asked for.
    """

    split: str
    nats: float
    tokens: int
    bytes: int
    audit: Audit
    unigram_nats: float
    bands: tuple[Band, ...] = ()
    words: tuple[WordBand, ...] | Missing | None = None

    @property
    def loss(self) -> float | Missing:
        """Nats per scored token."""
        return self.nats / self.tokens if self.tokens else Missing("no token is scored")

    @property
    def bpb(self) -> float | Missing:
        """Bits per byte of the source text: nats / (ln 2 * bytes), or why there is no such number."""
        if self.audit.verdict == "exact" and (self.tokens, self.bytes) != (self.audit.tokens, self.audit.bytes):
            scored = f"{self.tokens} tokens of {self.bytes} bytes were scored"
            return Missing(f"{scored}, the ledger has {self.audit.tokens} tokens of {self.audit.bytes} bytes")
        return bits_per_byte(self.nats, self.audit)

    @property
    def unigram_normalised_loss(self) -> float | Missing:
        """Mean -ln(p(token | what comes before) / p(token)), p(token) by training counts. Roh et al. 2020."""
        return (self.nats - self.unigram_nats) / self.tokens if self.tokens else Missing("no token is scored")

    def scalars(self) -> dict[str, float | Missing]:
        """The numbers by metric key."""
        found = {"loss": self.loss, "bpb": self.bpb, "unigram_normalised_loss": self.unigram_normalised_loss}
        found |= name_losses(self.bands)
        found |= {} if self.words is None else name_words(self.words)
        return {f"{self.split}/{name}": value for name, value in found.items()}


def evaluate(
    model: LanguageModel,
    batches: EvaluationBatches,
    *,
    split: str,
    tokenizer: Tokenizer,
    stream: TokenStream,
    train_counts: np.ndarray,
    words: WordCounts | None = None,
) -> Evaluation:
    """Score every target of `batches` once, in fixed windows, in full precision and without dropout.

    The batches are of `stream`; `train_counts` (V,) are the occurrences of each id in training, `words` those of words
    where losses by word are asked for. Weights, training mode and random generators are left alone. Sums are float64.
    """
    device = next(model.parameters()).device
    by_frequency = torch.from_numpy(surprise(train_counts)).to(device)
    nats, unigram_nats = torch.zeros(2, dtype=torch.float64, device=device)
    counts = torch.zeros(2, dtype=torch.int64, device=device)
    sums = BandSums(tokenizer, train_counts, device)
    kept: list[torch.Tensor] = []
    with _evaluating(model):
        for batch in batches:
            fields: Any = (None if field is None else field.to(device) for field in batch)
            on_device = Batch(*fields)
            scored = on_device.targets >= 0
            read = (on_device.positions, on_device.segments, on_device.source)
            each = model.token_nats(on_device.ids, on_device.targets, *read)
            nats += each.double().masked_fill(~scored, 0.0).sum()
            targets = on_device.targets[scored]
            known = by_frequency[targets]
            unigram_nats += known.sum()
            sums.add(targets, each[scored].double(), known)
            if words is not None:
                kept.append(torch.stack([each[scored].double(), known]))
            counts += torch.stack([scored.sum(), (on_device.target_bytes * scored).sum()])
    tokens, of_bytes = counts.tolist()
    audited = audit_scored(tokenizer, stream, batches)
    found = None if words is None else _by_word(words, kept, stream, audited)
    return Evaluation(split, nats.item(), tokens, of_bytes, audited, unigram_nats.item(), sums.bands(), found)


def _by_word(
    words: WordCounts, kept: Sequence[torch.Tensor], stream: TokenStream, audited: Audit
) -> tuple[WordBand, ...] | Missing:
    """Losses by word of what was `kept`: nats by the model and by frequency, in the order of the stream."""
    each, known = torch.cat(list(kept), dim=1).cpu().numpy() if kept else np.zeros((2, 0))
    if audited.verdict == "exact" and len(each) != stream.N - 1:
        return Missing(f"{len(each)} targets were scored, and the stream has {stream.N - 1}")
    sizes = np.asarray(stream.token_bytes[1:], dtype=np.int64)
    return measure_words(stream.texts, words, sizes=sizes, nats=each, unigram_nats=known, audit=audited)


def audit_scored(tokenizer: Tokenizer, stream: TokenStream, batches: EvaluationBatches) -> Audit:
    """The ledger's verdict on a stream: `none`, with the reason, where the batches do not score all of its text."""
    incomplete = batches.objective.incomplete
    return audit(tokenizer, stream) if incomplete is None else Audit("none", incomplete, stream.bytes, stream.N - 1)


@contextlib.contextmanager
def _evaluating(model: torch.nn.Module) -> Iterator[None]:
    """Dropout off and no gradients; afterwards as before."""
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)
