"""E starts as independent normal entries: E_ij ~ N(0, std^2). GPT-2's choice with std 0.02 (Radford et al. 2019)."""

from __future__ import annotations

from typing import Any, Literal

from rowspace.model.base import EmbeddingOption, Std, std_value
from rowspace.registry import register


@register("embedding")
class Normal(EmbeddingOption):
    """Independent normal entries."""

    name: Literal["normal"]
    std: Std
    """Standard deviation of an entry, or inverse_sqrt_d."""

    def build(self, *, vocab_size: int, d: int, generator: Any) -> Any:
        """The token embedding, drawn from `generator`."""
        from rowspace.model.embedding import TokenEmbedding
        from rowspace.model.initialization import normal

        weight = normal(vocab_size, d, std=std_value(self.std, d), generator=generator)
        return TokenEmbedding(weight=weight, scale=self.factor(d))
