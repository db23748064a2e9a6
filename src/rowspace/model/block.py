"""A pre-norm block: each sublayer reads the normalized stream and adds what it found to it."""

from __future__ import annotations

from typing import Any

from jaxtyping import Float, Int
from torch import Tensor, nn

from rowspace.model.attention import Attention, CrossAttention, Mask
from rowspace.model.cache import KeyValues
from rowspace.position.scheme import PositionScheme


class Block(nn.Module):
    """h + attention(norm(h)), then h + feedforward(norm(h))."""

    def __init__(
        self,
        *,
        attention_norm: nn.Module,
        attention: Attention,
        feedforward_norm: nn.Module,
        feedforward: nn.Module,
        dropout: nn.Module,
    ) -> None:
        super().__init__()
        self.attention_norm = attention_norm
        self.attention = attention
        self.feedforward_norm = feedforward_norm
        self.feedforward = feedforward
        self.dropout = dropout

    def forward(
        self,
        h: Float[Tensor, "B T d"],
        position: PositionScheme,
        positions: Int[Tensor, "#B T"] | None,
        mask: Mask,
        cache: KeyValues | None = None,
    ) -> Float[Tensor, "B T d"]:
        """The stream after both sublayers."""
        h = h + self.dropout(self.attention(self.attention_norm(h), position, positions, mask, cache))
        return h + self.dropout(self.feedforward(self.feedforward_norm(h)))


class CrossBlock(Block):
    """h + attention(norm(h)), h + cross(norm(h), source), then h + feedforward(norm(h))."""

    def __init__(self, *, cross_norm: nn.Module, cross: CrossAttention, **block: Any) -> None:
        super().__init__(**block)
        self.cross_norm = cross_norm
        self.cross = cross

    def forward(
        self,
        h: Float[Tensor, "B T d"],
        position: PositionScheme,
        positions: Int[Tensor, "#B T"] | None,
        mask: Mask,
        source: Float[Tensor, "B S d"],
    ) -> Float[Tensor, "B T d"]:
        """The stream after the three sublayers; `source` are the encoder's final states."""
        h = h + self.dropout(self.attention(self.attention_norm(h), position, positions, mask))
        h = h + self.dropout(self.cross(self.cross_norm(h), source))
        return h + self.dropout(self.feedforward(self.feedforward_norm(h)))
