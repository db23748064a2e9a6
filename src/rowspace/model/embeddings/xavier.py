"""E starts with the deviation of Glorot & Bengio (2010): E_ij ~ N(0, gain^2 * 2 / (V + d)).

Made for layers that are multiplied from both sides; as a lookup table its rows shrink as V grows.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, Literal

from pydantic import Field

from rowspace.model.base import EmbeddingOption
from rowspace.registry import register


@register("embedding")
class Xavier(EmbeddingOption):
    """Normal entries whose deviation falls with V + d."""

    name: Literal["xavier"]
    gain: float = Field(gt=0)
    """Factor on the deviation sqrt(2 / (V + d))."""

    def build(self, *, vocab_size: int, d: int, generator: Any) -> Any:
        """The token embedding, drawn from `generator`."""
        from rowspace.model.embedding import TokenEmbedding
        from rowspace.model.initialization import normal

        weight = normal(vocab_size, d, std=self.gain * sqrt(2 / (vocab_size + d)), generator=generator)
        return TokenEmbedding(weight=weight, scale=self.factor(d))
