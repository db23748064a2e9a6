"""Audited bits per byte of a model on a split.

Nats and bytes are summed over the same scored targets. The number exists only where the ledger has decoded every
document back to its very bytes and the bytes of the scored tokens add up to them; else it is missing, with the reason.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from rowspace.data.ledger import Audit, audit, bits_per_byte
from rowspace.data.stream import TokenStream
from rowspace.model.language_model import LanguageModel
from rowspace.table import Missing
from rowspace.tokenization.base import Tokenizer


@dataclass(frozen=True)
class Evaluation:
    """Sums over every scored target of a split, and the ledger's verdict on its bytes."""

    split: str
    nats: float
    tokens: int
    bytes: int
    audit: Audit

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

    def scalars(self) -> dict[str, float | Missing]:
        """The numbers by metric key."""
        return {f"{self.split}/loss": self.loss, f"{self.split}/bpb": self.bpb}


def evaluate(
    model: LanguageModel, batches: Iterable[Any], *, split: str, tokenizer: Tokenizer, stream: TokenStream
) -> Evaluation:
    """Score every target of `stream` once, in fixed windows, in full precision and without dropout.

    `batches` are `rowspace.data.batches.EvaluationBatches` of the stream. The weights, the training mode and the
    random generators are left as they were. Sums are float64.
    """
    device = next(model.parameters()).device
    nats = torch.zeros((), dtype=torch.float64, device=device)
    counts = torch.zeros(2, dtype=torch.int64, device=device)
    with _evaluating(model):
        for batch in batches:
            on_device = type(batch)(*(None if field is None else field.to(device) for field in batch))
            scored = on_device.targets >= 0
            each = model.token_nats(on_device.ids, on_device.targets, on_device.positions, on_device.segments)
            nats += each.double().masked_fill(~scored, 0.0).sum()
            counts += torch.stack([scored.sum(), (on_device.target_bytes * scored).sum()])
    tokens, of_bytes = counts.tolist()
    return Evaluation(split, nats.item(), tokens, of_bytes, audit(tokenizer, stream))


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
