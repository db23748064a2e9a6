"""Position interpolation: positions divided by s, so that s L of them fit where L were (Chen et al. 2023).

w_k = base^(-2k / d_head) / s for every pair. Neighbours come closer together, the fastest pair's included: short texts
lose resolution, and without further training they pay for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rowspace.position.frequencies import Factor, Pairs, RopeOption, plain
from rowspace.registry import register

if TYPE_CHECKING:
    import numpy as np


@register("position")
class RopePI(RopeOption):
    """Every frequency divided by s."""

    name: Literal["rope_pi"]
    factor: Factor
    """s; windows of s times the trained length end where trained ones did."""

    def frequencies(self, d_head: int, n_ctx: int, length: int | None = None) -> np.ndarray:
        return plain(self.base, d_head) / self.factor

    def pairs(self, d_head: int, n_ctx: int, length: int | None = None) -> Pairs:
        """All are divided by s."""
        import numpy as np

        every = np.ones(d_head // 2, dtype=bool)
        return Pairs(kept=~every, divided=every, by=self.factor)
