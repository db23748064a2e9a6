"""No positions (NoPE). A causal decoder of two or more layers can still learn order, from how much each token may see.

Haviv et al. 2022; Kazemnejad et al. 2023. Bidirectional attention without positions is permutation-equivariant.
"""

from __future__ import annotations

from typing import Any, Literal

from rowspace.position.base import PositionOption
from rowspace.registry import register


@register("position")
class NoPosition(PositionOption):
    """Nothing is added, rotated or biased."""

    name: Literal["none"]

    def build(self, *, d: int, heads: int, n_ctx: int, generator: Any) -> Any:
        """The scheme whose hooks all do nothing."""
        from rowspace.position.scheme import PositionScheme

        return PositionScheme()
