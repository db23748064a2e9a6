"""Encoder-decoder: an encoder reads the source, a causal decoder reads the target and what the encoder made of it."""

from __future__ import annotations

from math import sqrt

import torch
from jaxtyping import Float
from torch import Tensor, nn

from rowspace.model.attention import Attention, CrossAttention, self_mask
from rowspace.model.block import CrossBlock
from rowspace.model.body import Body, Transformer, dropout_or_identity
from rowspace.model.feedforward import FEEDFORWARDS
from rowspace.model.norm import NORMS
from rowspace.position.scheme import PositionScheme


class EncoderDecoder(Body):
    """`layers` blocks on each side. States are the decoder's; `encoder` gives those of the source."""

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
        sizes = {"d": d, "layers": layers, "heads": heads, "dropout": dropout, "norm": norm, "bias": bias}
        shape = {"feedforward": feedforward, "expansion": expansion, "init_std": init_std, "generator": generator}
        self.encoder = Transformer(causal=False, **sizes, **shape)
        maps = {"d": d, "bias": bias, "std": init_std, "out_std": init_std / sqrt(3 * layers), "generator": generator}
        self.dropout = dropout_or_identity(dropout)
        self.blocks = nn.ModuleList(
            CrossBlock(
                attention_norm=NORMS[norm](d),
                attention=Attention(heads=heads, **maps),
                cross_norm=NORMS[norm](d),
                cross=CrossAttention(heads=heads, **maps),
                feedforward_norm=NORMS[norm](d),
                feedforward=FEEDFORWARDS[feedforward](expansion=expansion, **maps),
                dropout=dropout_or_identity(dropout),
            )
            for _ in range(layers)
        )
        self.norm = NORMS[norm](d)

    def forward(self, h, position, positions=None, segments=None, *, source=None, cache=None):
        if source is None:
            raise TypeError("an encoder-decoder reads a source beside its target: states(ids, source=source_ids)")
        read = self.read(source, position)
        mask = self_mask(position, h, positions, segments, causal=True)
        states = [h]
        h = self.dropout(h)
        for block in self.blocks:
            h = block(h, position, positions, mask, read)
            states.append(h)
        return [*states[:-1], self.norm(h)]

    def read(self, source: Float[Tensor, "B S d"], position: PositionScheme) -> Float[Tensor, "B S d"]:
        """The encoder's final states of the source."""
        return self.encoder(source, position)[-1]
