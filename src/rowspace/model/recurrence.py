"""Recurrent bodies: L layers of torch's RNN or LSTM, each reading the normalized states of the one below.

Without that normalization the signal shrinks from layer to layer (gates near one half, small weights), and the final
norm would divide by nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from math import sqrt
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_sequence, unpack_sequence

from rowspace.model.body import Body, dropout_or_identity
from rowspace.model.cache import Cache
from rowspace.model.norm import NORMS

Cell = nn.RNN | nn.LSTM


class Kept:
    """State of one layer after the tokens read so far; None before the first."""

    state: Any = None


class Recurrent(Body):
    """L layers; the final states are normalized. Positions are ignored: a scheme that adds to h0 may still act."""

    def __init__(self, *, cells: Sequence[Cell], norms: Sequence[nn.Module], dropout: float) -> None:
        super().__init__()
        self.dropout = dropout_or_identity(dropout)
        self.norms = nn.ModuleList(norms[:-1])
        self.cells = nn.ModuleList(cells)
        self.norm = norms[-1]

    def forward(self, h, position, positions=None, segments=None, *, source=None, cache=None):
        lengths = None if segments is None else _lengths(segments)
        states = [h]
        h = self.dropout(h)
        for norm, cell, kept in zip(self.norms, self.cells, cache.layers if cache else repeat(None), strict=False):
            h = self.dropout(_read(cell, norm(h), lengths, kept))
            states.append(h)
        return [*states[:-1], self.norm(h)]

    def cache(self) -> Cache:
        return Cache([Kept() for _ in self.cells])


def rnn(*, d: int, layers: int, dropout: float, norm: str, generator: torch.Generator) -> Recurrent:
    """Elman's net with tanh."""
    cells = [_cell(nn.RNN, d, generator) for _ in range(layers)]
    return Recurrent(cells=cells, norms=[NORMS[norm](d) for _ in range(layers + 1)], dropout=dropout)


def lstm(
    *, d: int, layers: int, dropout: float, norm: str, forget_bias: float, generator: torch.Generator
) -> Recurrent:
    """LSTM without peepholes. Its gates lie in torch's order: input, forget, candidate, output."""
    cells = [_cell(nn.LSTM, d, generator) for _ in range(layers)]
    for cell in cells:
        nn.init.constant_(cell.get_parameter("bias_hh_l0")[d : 2 * d], forget_bias)
    return Recurrent(cells=cells, norms=[NORMS[norm](d) for _ in range(layers + 1)], dropout=dropout)


def _cell(kind: Callable[..., Cell], d: int, generator: torch.Generator) -> Cell:
    """Weights uniform within 1 / sqrt(d) as torch's are, from the generator given; biases 0."""
    device = torch.get_default_device()
    with torch.device("meta"):  # else the constructor draws from the global generator
        cell = kind(d, d, batch_first=True)
    cell = cell.to_empty(device=device)
    with torch.no_grad():
        for name, parameter in cell.named_parameters():
            if name.startswith("bias"):
                parameter.zero_()
            else:
                parameter.uniform_(-1 / sqrt(d), 1 / sqrt(d), generator=generator)
    return cell


def _lengths(segments: Int[Tensor, "B T"]) -> list[int]:
    """Lengths of the runs of equal numbers, row after row."""
    begins = torch.ones_like(segments, dtype=torch.bool)
    begins[:, 1:] = segments[:, 1:] != segments[:, :-1]
    starts = begins.flatten().nonzero()[:, 0]
    return starts.diff(append=starts.new_tensor([segments.numel()])).tolist()


def _read(
    cell: nn.Module, x: Float[Tensor, "B T d"], lengths: list[int] | None, kept: Kept | None
) -> Float[Tensor, "B T d"]:
    """States after each token; each segment begins with a state of 0, each text with what was kept of it."""
    if lengths is not None:
        out, _ = cell(pack_sequence(list(x.flatten(0, 1).split(lengths)), enforce_sorted=False))
        return torch.cat(unpack_sequence(out)).view_as(x)
    out, state = cell(x, None if kept is None else kept.state)
    if kept is not None:
        kept.state = state
    return out
