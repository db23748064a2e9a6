"""A layer as a table: each token's mean state over occurrences in a text, beside how often it occurred there.

m_v = (1 / n_v) sum of h_t over positions t that hold v. One row a token is what every probe of a table takes; what a
state says of its sentence is averaged away, and the row of a token that occurred once is that one state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from rowspace.data.batch import Batch
from rowspace.data.batches import Windows
from rowspace.data.stream import TokenStream
from rowspace.probing.base import Progress
from rowspace.table import TokenTable

TOKENS = 1 << 16
"""Tokens that are read at most, in whole windows spread evenly over the text."""
BATCH = 16
"""Windows that are read at once."""
States = Callable[[Batch], Sequence[Tensor]]
"""Every layer's states (B, T, d) of a batch."""


def find_windows(stream: TokenStream, n_ctx: int) -> np.ndarray:
    """First tokens of windows of n_ctx tokens that do not overlap, spread evenly, (windows,) int64."""
    T = min(n_ctx, stream.N - 1)
    there = (stream.N - 1) // T
    return np.unique(np.linspace(0, there - 1, min(there, max(1, TOKENS // T))).round().astype(np.int64)) * T


def mean_states(
    table: TokenTable,
    layer: int,
    *,
    stream: TokenStream,
    n_ctx: int,
    isolated: bool,
    states: States,
    progress: Progress,
) -> TokenTable:
    """The mean states of a layer in the place of the table's rows; `counts` are the occurrences that were read.

    A token that did not occur has no state: its row is zero, and its id stands among the special ones, which no measure
    reads. Sums are float64.
    """
    starts, T = find_windows(stream, n_ctx), min(n_ctx, stream.N - 1)
    windows = Windows(stream, isolated=isolated)
    sums = torch.zeros(table.V, table.d, dtype=torch.float64)
    counts = torch.zeros(table.V, dtype=torch.int64)
    for first in range(0, len(starts), BATCH):
        batch = windows.gather(starts[first : first + BATCH], T)
        with torch.no_grad():
            h = states(batch)[layer].double().flatten(0, 1)
        sums.index_add_(0, batch.ids.flatten(), h)
        counts += torch.bincount(batch.ids.flatten(), minlength=table.V)
        progress(f"reading states of layer {layer}", first + len(batch.ids), len(starts))
    unseen = frozenset(torch.nonzero(counts == 0).flatten().tolist())
    return replace(
        table,
        vectors=(sums / counts.clamp(min=1)[:, None]).float().numpy(),
        counts=counts.numpy(),
        special=table.special | unseen,
        source={
            **table.source,
            "table": f"layer{layer}",
            "rows are": f"mean states over {len(starts):,} windows of {T} tokens of validation text",
            "tokens that did not occur there": f"{len(unseen):,}, left out",
            "counts": "occurrences in what was read",
        },
    )
