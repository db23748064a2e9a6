"""Self-attention with one fused map to queries, keys and values, the mask of what may be seen, and cross-attention."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from rowspace.model.cache import KeyValues
from rowspace.model.initialization import linear
from rowspace.position.scheme import PositionScheme


class Mask(NamedTuple):
    """What a query (row) may see of the keys, and what is added to its scores.

    `scores` True or a finite number: seen; None: everything, or, where `causal` says so, keys up to the query's own
    (the fast path).
    """

    scores: Bool[Tensor, "#B #H Q K"] | Float[Tensor, "#B #H Q K"] | None
    causal: bool


class Attention(nn.Module):
    """softmax(q k^T / sqrt(d_head)) v in H heads."""

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
        positions: Int[Tensor, "#B T"] | None,
        mask: Mask,
        cache: KeyValues | None = None,
    ) -> Float[Tensor, "B T d"]:
        """What each position gathers from those it sees; with a cache, from those read before too."""
        # (B, T, 3 d) -> three views (B, H, T, d_head) of one block of memory
        q, k, v = (part.transpose(1, 2) for part in self.qkv(x).unflatten(-1, (3, self.heads, -1)).unbind(2))
        q = position.rotate(q, positions)
        if cache is None:
            k = position.rotate(k, positions)
        elif position.steady:
            k, v = cache.extend(position.rotate(k, positions), v)
        else:  # all keys anew, at positions 0 .. all that was read
            k, v = cache.extend(k, v)
            k = position.rotate(k, None)
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask.scores, is_causal=mask.causal)
        # (B, H, T, d_head) -> (B, T, d)
        return self.out(mixed.transpose(1, 2).flatten(2))


class CrossAttention(nn.Module):
    """Queries of one text, keys and values of another, all of it seen. No position scheme acts: a distance between
    two texts means nothing."""

    def __init__(
        self, *, d: int, heads: int, bias: bool, std: float, out_std: float, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.heads = heads
        self.q = linear(d, d, bias=bias, std=std, generator=generator)
        self.kv = linear(d, 2 * d, bias=bias, std=std, generator=generator)
        self.out = linear(d, d, bias=bias, std=out_std, generator=generator)

    def forward(self, x: Float[Tensor, "B T d"], source: Float[Tensor, "B S d"]) -> Float[Tensor, "B T d"]:
        """What each position gathers from the source."""
        # (B, T, d) -> (B, H, T, d_head)
        q = self.q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k, v = (part.transpose(1, 2) for part in self.kv(source).unflatten(-1, (2, self.heads, -1)).unbind(2))
        mixed = functional.scaled_dot_product_attention(q, k, v)
        # (B, H, T, d_head) -> (B, T, d)
        return self.out(mixed.transpose(1, 2).flatten(2))


def self_mask(
    position: PositionScheme,
    like: Float[Tensor, "B T d"],
    positions: Int[Tensor, "#B T"] | None,
    segments: Int[Tensor, "B T"] | None,
    *,
    causal: bool,
    read: int = 0,
) -> Mask:
    """The mask of self-attention among T tokens (and `read` ones before them): causal or not, inside segments (None:
    one segment), with the scheme's bias in it. After tokens that were read there is one segment, and positions go on.
    """
    T = like.shape[1]
    reached = torch.arange(read + T, device=like.device)[None]
    queries = reached[:, read:] if positions is None else positions
    bias = position.bias(queries, queries if not read else reached, like)
    if bias is None and segments is None and not read:
        return Mask(None, causal=causal)
    visible = None
    if causal and T > 1:
        visible = torch.ones(T, read + T, dtype=torch.bool, device=like.device).tril(read)[None, None]
    if segments is not None:
        # (B, T) -> (B, 1, T, T)
        together = segments[:, None, :, None] == segments[:, None, None, :]
        visible = together if visible is None else visible & together
    if bias is None or visible is None:
        return Mask(visible if bias is None else bias, causal=False)
    return Mask(bias.masked_fill(~visible, float("-inf")), causal=False)
