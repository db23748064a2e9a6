"""E starts with orthogonal columns (rows where V < d) of one length: every direction of the space equally used.

The isotropic extreme: E^T E = V std^2 I. Entries have the deviation `std` (Saxe et al. 2014 for the construction).
"""

from __future__ import annotations

from typing import Any, Literal

from rowspace.model.base import EmbeddingOption, Std, std_value
from rowspace.registry import register


@register("embedding")
class Orthogonal(EmbeddingOption):
    """Orthogonal columns, scaled so that an entry has the deviation `std`."""

    name: Literal["orthogonal"]
    std: Std
    """Root mean square of an entry, or inverse_sqrt_d."""

    def build(self, *, vocab_size: int, d: int, generator: Any) -> Any:
        """The token embedding, drawn from `generator`."""
        from rowspace.model.embedding import TokenEmbedding
        from rowspace.model.initialization import orthogonal

        weight = orthogonal(vocab_size, d, std=std_value(self.std, d), generator=generator)
        return TokenEmbedding(weight=weight, scale=self.factor(d))
