"""Rotary positions: queries and keys turn by an angle that grows with their position (Su et al. 2021).

In each head, the pair (2k, 2k + 1) of q and k at position p is rotated by p w_k, w_k = base^(-2k / d_head). A score
then depends on the offset of two positions only; norms stay, values and h0 are untouched, there are no parameters.
Pairs are adjacent everywhere; the half-split layout exists for export only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from rowspace.errors import Problem
from rowspace.position.base import PositionOption
from rowspace.registry import register

if TYPE_CHECKING:
    import numpy as np


@register("position")
class Rope(PositionOption):
    """Rotation of queries and keys in every attention layer."""

    name: Literal["rope"]
    relative: ClassVar[bool] = True
    inside_attention: ClassVar[bool] = True
    base: float = Field(gt=1)
    """The slowest pair turns by nearly 1 / base of a radian a position."""

    def frequencies(self, d_head: int) -> np.ndarray:
        """w_k in radians a position: (d_head / 2,) float64."""
        import numpy as np

        return self.base ** (-np.arange(0, d_head, 2) / d_head)

    def problems(self, run: Any) -> Iterable[Problem]:
        """A head must be made of pairs."""
        model = run.model
        if model is None or (model.d % model.heads and (run.body is None or run.body.attends)):
            return  # a body with heads says so itself
        if model.d % (2 * model.heads):
            given = f"{model.d} is not {model.heads} heads (model.heads) of even width"
            yield Problem("model.d", given, f"position=rope rotates pairs: a multiple of {2 * model.heads}")

    def build(self, *, d: int, heads: int, n_ctx: int, generator: Any) -> Any:
        """The scheme that rotates queries and keys."""
        from rowspace.position.rotary import Rotary

        return Rotary(frequencies=self.frequencies(d // heads), n=n_ctx)
