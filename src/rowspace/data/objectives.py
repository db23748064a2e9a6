"""What a model is asked to predict: from a batch of windows with their next tokens to the batch that it is trained on.

A body chooses its objective. Draws come from a generator keyed by the window alone, so that a resumed run sees what an
uninterrupted one would, and every evaluation sees the same. The objectives of encoders are in `masked` and
`span_corruption`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from rowspace.data.batch import NOT_SCORED, Batch

SALT = 0x0B7EC71E
"""Keeps these draws apart from the order of the windows, which is drawn from seed and epoch."""


class Objective(ABC):
    """Turns windows into what is read and what is predicted."""

    name: str
    incomplete: str | None
    """Why the targets are not each token of the text once, so that there are no bits per byte; None where they are."""

    @abstractmethod
    def __call__(self, batch: Batch, keys: Sequence[Sequence[int]], *, evaluating: bool = False) -> Batch:
        """The batch to train on or to score, from windows whose targets are the next tokens.

        `keys` has one key a window, and the same key draws the same. Targets of -100 are context, read and not scored.
        `evaluating`: only tokens of the text are scored, none that the objective put there.
        """

    def expected(self, counts: np.ndarray, n: int) -> np.ndarray:
        """How often each token is a target in training, (V,), on average over the draws: where the text holds it
        `counts` times and is read in windows of n so often that each of its tokens is a target about once."""
        return counts


class NextToken(Objective):
    """Each token from those before it."""

    name = "next_token"
    incomplete = None

    def __call__(self, batch: Batch, keys: Sequence[Sequence[int]], *, evaluating: bool = False) -> Batch:
        """The windows as they are."""
        return batch


def generator_for(key: Sequence[int]) -> np.random.Generator:
    """The generator of one window's draws."""
    return np.random.Generator(np.random.PCG64([*key, SALT]))


def predicted_tokens(batch: Batch) -> tuple[Tensor, Tensor]:
    """The T tokens that a window's targets are, context included, and which of them are scored here: (B, T) each.

    Over an epoch, and over an evaluation, each token but the stream's first is scored in one window.
    """
    # the last target is never context
    tokens = torch.cat([batch.ids[:, 1:], batch.targets[:, -1:]], dim=1)
    return tokens, batch.targets != NOT_SCORED
