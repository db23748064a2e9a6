"""Sinusoidal positions, added to the embedded tokens (Vaswani et al. 2017).

P[p, 2k] = sin(p w_k), P[p, 2k + 1] = cos(p w_k), w_k = base^(-2k / d). Every row of an even d has norm sqrt(d / 2), and
P[p] . P[q] depends on p - q only. No parameters, no longest position. An odd d ends with a sine that has no cosine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from rowspace.position.base import PositionOption
from rowspace.registry import register

if TYPE_CHECKING:
    import numpy as np


@register("position")
class Sinusoidal(PositionOption):
    """A fixed table of sines and cosines."""

    name: Literal["sinusoidal"]
    base: float = Field(gt=1)
    """The slowest pair turns by nearly 1 / base of a radian a position."""

    def rows(self, n: int, d: int) -> np.ndarray:
        """P for positions 0..n-1: (n, d) float64."""
        import numpy as np

        frequencies = self.base ** (-np.arange(0, d, 2) / d)
        angles = np.arange(n)[:, None] * frequencies
        table = np.empty((n, d))
        table[:, 0::2] = np.sin(angles)
        table[:, 1::2] = np.cos(angles)[:, : d // 2]
        return table

    def build(self, *, d: int, heads: int, n_ctx: int, generator: Any) -> Any:
        """The scheme that adds the table's rows."""
        from rowspace.position.additive import FixedAddition

        return FixedAddition(rows=lambda n: self.rows(n, d), n=n_ctx)
