"""What a model is asked to predict: from a batch of windows with their next tokens to the batch that it is trained on.

A body chooses its objective. Draws come from a generator keyed by the batch alone, so that a resumed run sees what an
uninterrupted one would, and every evaluation sees the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from rowspace.data.batch import Batch


class Objective(ABC):
    """Turns windows into what is read and what is predicted."""

    name: str
    incomplete: str | None
    """Why the targets are not each token of the text once, so that there are no bits per byte; None where they are."""

    @abstractmethod
    def __call__(self, batch: Batch, key: Sequence[int]) -> Batch:
        """The batch to train on or to score, from windows whose targets are the next tokens.

        The same `key` draws the same. Targets of -100 are context, read and not scored.
        """


class NextToken(Objective):
    """Each token from those before it."""

    name = "next_token"
    incomplete = None

    def __call__(self, batch: Batch, key: Sequence[int]) -> Batch:
        """The windows as they are."""
        return batch
