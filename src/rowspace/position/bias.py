"""Schemes that add to attention scores by offset: a fixed penalty on distance, and a learned table of buckets."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from rowspace.position.scheme import FixedNumbers, PositionScheme


class DistancePenalty(FixedNumbers):
    """-slope |i - j|, one slope a head; `table` holds the slopes (H,)."""

    def __init__(self, *, slopes: np.ndarray) -> None:
        super().__init__(slopes)
        self._slopes = slopes

    def numbers(self) -> np.ndarray:
        return self._slopes

    def bias(self, queries: Int[Tensor, "#B Q"], keys: Int[Tensor, "#B K"], like: Tensor) -> Float[Tensor, "#B H Q K"]:
        """The penalty, computed in the table's precision."""
        distance = (queries[:, None, :, None] - keys[:, None, None, :]).abs()
        return (-self.table[:, None, None] * distance).to(like.dtype)


class BucketBias(PositionScheme):
    """What was learned for the bucket of j - i; `table` (2 buckets, H), the second half for keys after the query.

    Row `buckets`, distance 0 after the query, is never read (as in T5, whose layout this is).
    """

    bucket_of: Tensor

    def __init__(
        self, *, bucket_of: np.ndarray, buckets: int, heads: int, std: float, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.buckets = buckets
        self.register_buffer("bucket_of", torch.from_numpy(bucket_of), persistent=False)
        self.table = nn.Parameter(torch.empty(2 * buckets, heads).normal_(std=std, generator=generator))

    def bias(self, queries: Int[Tensor, "#B Q"], keys: Int[Tensor, "#B K"], like: Tensor) -> Float[Tensor, "#B H Q K"]:
        """The learned numbers of every pair of positions."""
        offset = keys[:, None, :] - queries[:, :, None]
        bucket = self.bucket_of[offset.abs().clamp(max=len(self.bucket_of) - 1)] + self.buckets * (offset > 0)
        # (#B, Q, K, H) -> (#B, H, Q, K)
        return functional.embedding(bucket, self.table).permute(0, 3, 1, 2).to(like.dtype)
