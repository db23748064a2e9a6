"""Bodies: from h0 to the states of every layer. The first is h0, the last what the head reads, normalized.

A body is handed the position scheme at each call and does not own it: the language model does, so that a learned
table has one name in the state dict. A body that can continue a text has a cache, in which it keeps what it read.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import repeat
from math import sqrt

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from rowspace.model.attention import Attention, self_mask
from rowspace.model.block import Block
from rowspace.model.cache import Cache, KeyValues
from rowspace.model.feedforward import FEEDFORWARDS
from rowspace.model.norm import NORMS
from rowspace.position.scheme import PositionScheme


class Body(nn.Module):
    """What every body does: h0 in, states out."""

    predicts_few: bool = False
    """Most positions have no target: the head then reads only the states that have one."""

    @abstractmethod
    def forward(
        self,
        h: Float[Tensor, "B T d"],
        position: PositionScheme,
        positions: Int[Tensor, "#B T"] | None = None,
        segments: Int[Tensor, "B T"] | None = None,
        *,
        source: Float[Tensor, "B S d"] | None = None,
        cache: Cache | None = None,
    ) -> list[Float[Tensor, "B T d"]]:
        """[h0, h1, ..., normalized hL].

        `source` is h0 of the text that an encoder-decoder reads; other bodies take none. With a cache (one segment),
        the T tokens follow those read before, at the positions given; then the cache holds them too.
        """

    def cache(self) -> Cache:
        """An empty cache. Bodies that see the future have none: a later token changes their earlier states."""
        raise TypeError(f"{type(self).__name__} has no cache")


class NoBody(Body):
    """The final state is the normalized h0."""

    def __init__(self, *, norm: nn.Module, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout_or_identity(dropout)
        self.norm = norm

    def forward(self, h, position, positions=None, segments=None, *, source=None, cache=None):
        return [h, self.norm(self.dropout(h))]

    def cache(self) -> Cache:
        return Cache([])


class Transformer(Body):
    """L pre-norm blocks of self-attention: a decoder where `causal`, else an encoder."""

    def __init__(
        self,
        *,
        causal: bool,
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
        self.causal = causal
        self.predicts_few = not causal
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

    def forward(self, h, position, positions=None, segments=None, *, source=None, cache=None):
        read = 0 if cache is None else cache.length
        mask = self_mask(position, h, positions, segments, causal=self.causal, read=read)
        states = [h]
        h = self.dropout(h)
        for block, kept in zip(self.blocks, cache.layers if cache else repeat(None), strict=False):
            h = block(h, position, positions, mask, kept)
            states.append(h)
        return [*states[:-1], self.norm(h)]

    def cache(self) -> Cache:
        if not self.causal:
            return super().cache()
        return Cache([KeyValues() for _ in self.blocks])


def dropout_or_identity(p: float) -> nn.Module:
    """Off is Identity."""
    return nn.Dropout(p) if p else nn.Identity()
