"""Causal self-attention with one fused map to queries, keys and values, and the mask of what may be seen."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from rowspace.model.initialization import linear
from rowspace.position.scheme import PositionScheme

Mask = Bool[Tensor, "#B #H T T"] | Float[Tensor, "#B #H T T"] | None
"""What a query (row) may see of the keys: True or a finite number. None: positions up to its own, the fast path."""


class Attention(nn.Module):
    """softmax(q k^T / sqrt(d_head)) v in H heads, each position seeing itself and earlier ones."""

    def __init__(
        self, *, d: int, heads: int, bias: bool, std: float, out_std: float, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = linear(d, 3 * d, bias=bias, std=std, generator=generator)
        self.out = linear(d, d, bias=bias, std=out_std, generator=generator)

    def forward(
        self,
        x: Float[Tensor, "B T d"],
        position: PositionScheme,
        positions: Int[Tensor, "B T"] | None,
        mask: Mask,
    ) -> Float[Tensor, "B T d"]:
        """What each position gathers from those it sees."""
        # (B, T, 3 d) -> three views (B, H, T, d_head) of one block of memory
        q, k, v = (part.transpose(1, 2) for part in self.qkv(x).unflatten(-1, (3, self.heads, -1)).unbind(2))
        q, k = position.rotate(q, k, positions)
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        # (B, H, T, d_head) -> (B, T, d)
        return self.out(mixed.transpose(1, 2).flatten(2))


def causal_mask(
    bias: Float[Tensor, "#B #H T T"] | None, segments: Int[Tensor, "B T"] | None, T: int, device: torch.device
) -> Mask:
    """The mask of causal attention that stays inside segments (None: one segment), with the scheme's bias in it."""
    if bias is None and segments is None:
        return None
    visible = torch.ones(T, T, dtype=torch.bool, device=device).tril()[None, None]
    if segments is not None:
        # (B, T) -> (B, 1, T, T)
        visible = visible & (segments[:, None, :, None] == segments[:, None, None, :])
    return visible if bias is None else bias.masked_fill(~visible, float("-inf"))
