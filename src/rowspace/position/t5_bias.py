"""Learned relative biases: one number a head for each range of offsets, added to scores (Raffel et al. 2020, T5).

Offsets fall into `buckets` ranges for keys at or before the query and as many for keys after it: the first half hold
one distance each, the rest grow evenly in the logarithm up to `max_distance`, and all beyond share the last. One table
serves every layer, and encoder and decoder alike; in T5 each of the two has its own. A causal body trains one half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, field_validator

from rowspace.position.base import PositionOption
from rowspace.registry import register

if TYPE_CHECKING:
    import numpy as np


@register("position")
class T5Bias(PositionOption):
    """Scores change by what was learned for their offset's bucket."""

    name: Literal["t5_bias"]
    relative: ClassVar[bool] = True
    learned: ClassVar[bool] = True
    inside_attention: ClassVar[bool] = True
    buckets: int = Field(ge=2, le=65536)
    """Ranges of distance in each direction; transformers' `relative_attention_num_buckets` is twice that."""
    max_distance: int = Field(ge=2, le=2**24)
    """From here on every distance falls into the last bucket."""
    std: float = Field(gt=0)
    """Standard deviation of an entry at the start."""

    @field_validator("max_distance")
    @classmethod
    def _farther(cls, value: int, known: Any) -> int:
        single = known.data.get("buckets", 0) // 2
        if value <= single:
            raise ValueError(f"more than {single}, as many distances as have a bucket of their own (half the buckets)")
        return value

    def bucket_of(self) -> np.ndarray:
        """The bucket of every distance 0..max_distance in one direction: (max_distance + 1,) int64."""
        import numpy as np

        single = self.buckets // 2
        distances = np.arange(self.max_distance + 1)
        grown = np.log(np.maximum(distances, single) / single) / np.log(self.max_distance / single)
        # a distance on the edge of two buckets belongs to the farther one, whatever the logarithm rounds to
        far = np.minimum(single + np.floor(grown * (self.buckets - single) + 1e-9).astype(int), self.buckets - 1)
        return np.where(distances < single, distances, far)

    def build(self, *, d: int, heads: int, n_ctx: int, generator: Any) -> Any:
        """The scheme that adds to scores."""
        from rowspace.position.bias import BucketBias

        return BucketBias(
            bucket_of=self.bucket_of(), buckets=self.buckets, heads=heads, std=self.std, generator=generator
        )
