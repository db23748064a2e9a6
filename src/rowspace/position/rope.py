"""Rotary positions: queries and keys turn by an angle that grows with their position (Su et al. 2021).

In each head, the pair (2k, 2k + 1) of q and k at position p is rotated by p w_k, w_k = base^(-2k / d_head). A score
then depends on the offset of two positions only; norms stay, values and h0 are untouched, there are no parameters.
Pairs are adjacent everywhere; the half-split layout exists for export only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rowspace.position.frequencies import Pairs, RopeOption, plain
from rowspace.registry import register

if TYPE_CHECKING:
    import numpy as np


@register("position")
class Rope(RopeOption):
    """Plain rotary positions."""

    name: Literal["rope"]

    def frequencies(self, d_head: int, n_ctx: int, length: int | None = None) -> np.ndarray:
        return plain(self.base, d_head)

    def pairs(self, d_head: int, n_ctx: int, length: int | None = None) -> Pairs:
        """All are kept."""
        import numpy as np

        every = np.ones(d_head // 2, dtype=bool)
        return Pairs(kept=every, divided=~every, by=1.0)
