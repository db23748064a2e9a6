"""States of a trained run over validation text, layer by layer: means as tables, and occurrences to tell apart.

The windows are those of `mean_states`; they are read once for all layers while they fit in memory. Every other window
makes the tokens' mean states, and of the windows between one occurrence of each token is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from rowspace.data.batch import Batch
from rowspace.data.batches import Windows
from rowspace.preservation.subjects import Ground
from rowspace.probes.identity import Recovered, recover_states
from rowspace.probing.base import RunSubject
from rowspace.probing.mean_states import BATCH, States, find_windows, mean_states
from rowspace.table import TokenTable

HELD = 1 << 29
"""Bytes of states that are kept between two layers."""


class Remembered:
    """Every layer's states of a batch, computed once while they fit in memory."""

    def __init__(self, states: States) -> None:
        self._states = states
        self._held: dict[bytes, list[Tensor]] = {}
        self._bytes = 0

    def __call__(self, batch: Batch) -> Sequence[Tensor]:
        key = batch.ids.numpy().tobytes()
        if key in self._held:
            return self._held[key]
        with torch.no_grad():
            found = list(self._states(batch))
        size = sum(h.numel() * h.element_size() for h in found)
        if self._bytes + size <= HELD:
            self._held[key] = found
            self._bytes += size
        return found


@dataclass(frozen=True, eq=False)
class Layers:
    """A run's windows of validation text, and how its states are read."""

    subject: RunSubject
    ground: Ground
    n: int
    """Layers of states, h0 among them."""
    states: Remembered

    def table(self, layer: int) -> TokenTable:
        """Mean states in the place of rows, with the counts of the training text; tokens not read are special."""
        config = self.subject.config
        found = mean_states(
            self.subject.tables["E"],
            layer,
            stream=self.ground.streams["val"],
            n_ctx=config.model.n_ctx,
            isolated=config.data.documents == "isolated",
            states=self.states,
            progress=self.ground.progress,
        )
        return replace(found, counts=self.ground.counts)

    def recover(self, layer: int) -> Recovered:
        """How many tokens are told from a state of this layer."""
        windows = list(self._windows())
        ids = torch.cat([batch.ids for batch in windows])
        apart = np.arange(ids.numel()).reshape(ids.shape)
        means, asked = ids[0::2].flatten(), ids[1::2].flatten().numpy()
        special = list(self.subject.tables["E"].special)
        found, first = np.unique(asked, return_index=True)
        known = np.isin(found, means.numpy()) & ~np.isin(found, special)
        tokens, places = found[known], apart[1::2].flatten()[first[known]]
        h = torch.cat([self.states(batch)[layer].float() for batch in windows])
        sums = torch.zeros(len(self.ground.counts), h.shape[-1], dtype=torch.float64)
        sums.index_add_(0, means, h[0::2].flatten(0, 1).double())
        n = torch.bincount(means, minlength=len(sums))
        centroids = (sums / n.clamp(min=1)[:, None])[tokens].numpy()
        states = h.flatten(0, 1)[places].numpy()
        return recover_states(states, centroids, self.ground.groups[tokens])

    def _windows(self) -> Sequence[Batch]:
        stream, config = self.ground.streams["val"], self.subject.config
        starts, T = find_windows(stream, config.model.n_ctx), min(config.model.n_ctx, stream.N - 1)
        windows = Windows(stream, isolated=config.data.documents == "isolated")
        return [windows.gather(starts[first : first + BATCH], T) for first in range(0, len(starts), BATCH)]


def open_layers(subject: RunSubject, ground: Ground) -> Layers:
    """The layers of a run whose body reads one text."""
    model = subject.model
    with torch.no_grad():
        n = len(model.states(torch.zeros((1, 1), dtype=torch.int64)))
    return Layers(
        subject, ground, n, Remembered(lambda batch: model.states(batch.ids, batch.positions, batch.segments))
    )
