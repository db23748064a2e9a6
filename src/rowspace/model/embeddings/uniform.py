"""E starts as independent uniform entries: E_ij ~ U(-a, a) with a = sqrt(3) std, so that std means what it says."""

from __future__ import annotations

from typing import Any, Literal

from rowspace.model.base import EmbeddingOption, Std, std_value
from rowspace.registry import register


@register("embedding")
class Uniform(EmbeddingOption):
    """Independent uniform entries, bounded by sqrt(3) std."""

    name: Literal["uniform"]
    std: Std
    """Standard deviation of an entry, or inverse_sqrt_d."""

    def build(self, *, vocab_size: int, d: int, generator: Any) -> Any:
        """The token embedding, drawn from `generator`."""
        from rowspace.model.embedding import TokenEmbedding
        from rowspace.model.initialization import uniform

        weight = uniform(vocab_size, d, std=std_value(self.std, d), generator=generator)
        return TokenEmbedding(weight=weight, scale=self.factor(d))
