"""Training loops that are compared: each has `step()`, one whole optimizer step with its own batch."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import LinearCrossEntropyOptions, functional

from rowspace.model.language_model import LanguageModel
from rowspace.training.optimizer import build as build_optimizer
from tests.bench.sizes import Size
from tests.parts import option

LIBRARY = LinearCrossEntropyOptions(batch_chunk_size=512, chunking_method=None)


class OurLoop:
    """Our model, loss and optimizer in a loop of six lines, without Lightning."""

    def __init__(self, size: Size) -> None:
        self.model = size.model()
        self.optimizer = build_optimizer(self.model, option("optimizer", "adamw", lr=6e-4))
        self.windows = size.windows()

    def loss(self, model: LanguageModel, states: Tensor, targets: Tensor) -> Tensor:
        """Mean nats."""
        nats, n = model.loss(states, targets)
        return nats / n

    def step(self) -> None:
        """Batch, forward, backward, clip, update."""
        ids, targets = self.windows()
        self.loss(self.model, self.model(ids), targets).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)


class FlatLoop(OurLoop):
    """The same with all logits at once and torch's cross entropy: what a hand-written loop does."""

    def loss(self, model: LanguageModel, states: Tensor, targets: Tensor) -> Tensor:
        """Mean nats."""
        return functional.cross_entropy(model.logits(states).flatten(0, 1), targets.flatten())


class LibraryLoop(OurLoop):
    """The same with torch's chunked linear_cross_entropy."""

    def loss(self, model: LanguageModel, states: Tensor, targets: Tensor) -> Tensor:
        """Mean nats."""
        h = states.flatten(0, 1) * model.head.logit_scale
        return functional.linear_cross_entropy(h, model.head.weight, targets.flatten(), options=LIBRARY)
