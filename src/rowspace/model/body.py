"""Bodies: from h0 to the states of every layer. The first is h0, the last what the head reads, normalized.

A body is handed the position scheme at each call and does not own it: the language model does, so that a learned
table has one name in the state dict.
"""

from __future__ import annotations

from math import sqrt

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from rowspace.model.attention import Attention, causal_mask
from rowspace.model.block import Block
from rowspace.model.feedforward import FEEDFORWARDS
from rowspace.model.norm import NORMS
from rowspace.position.scheme import PositionScheme


class NoBody(nn.Module):
    """The final state is the normalized h0."""

    def __init__(self, *, norm: nn.Module, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout_or_identity(dropout)
        self.norm = norm

    def forward(
        self,
        h: Float[Tensor, "B T d"],
        position: PositionScheme,
        positions: Int[Tensor, "B T"] | None,
        segments: Int[Tensor, "B T"] | None,
    ) -> list[Float[Tensor, "B T d"]]:
        """[h0, norm(h0)]."""
        return [h, self.norm(self.dropout(h))]


class Decoder(nn.Module):
    """L pre-norm blocks of causal attention."""

    def __init__(
        self,
        *,
        d: int,
        layers: int,
        heads: int,
        dropout: float,
        norm: str,
        feedforward: str,
        expansion: float,
        bias: bool,
        init_std: float,
        generator: torch.Generator,
    ) -> None:
        super().__init__()
        maps = {"d": d, "bias": bias, "std": init_std, "out_std": init_std / sqrt(2 * layers), "generator": generator}
        self.dropout = dropout_or_identity(dropout)
        self.blocks = nn.ModuleList(
            Block(
                attention_norm=NORMS[norm](d),
                attention=Attention(heads=heads, **maps),
                feedforward_norm=NORMS[norm](d),
                feedforward=FEEDFORWARDS[feedforward](expansion=expansion, **maps),
                dropout=dropout_or_identity(dropout),
            )
            for _ in range(layers)
        )
        self.norm = NORMS[norm](d)

    def forward(
        self,
        h: Float[Tensor, "B T d"],
        position: PositionScheme,
        positions: Int[Tensor, "B T"] | None,
        segments: Int[Tensor, "B T"] | None,
    ) -> list[Float[Tensor, "B T d"]]:
        """[h0, h1, ..., norm(hL)]: L + 1 states."""
        mask = causal_mask(position.bias(h, positions), segments, h.shape[1], h.device)
        states = [h]
        h = self.dropout(h)
        for block in self.blocks:
            h = block(h, position, positions, mask)
            states.append(h)
        return [*states[:-1], self.norm(h)]


def dropout_or_identity(p: float) -> nn.Module:
    """Off is Identity."""
    return nn.Dropout(p) if p else nn.Identity()
