"""Dynamic NTK scaling: plain up to the trained length, then a base for exactly the length being read (emozilla 2023).

For a window of n > L tokens s = factor n / L - (factor - 1), and the base is that of NTK-aware scaling by s; for n <= L
nothing changes, so that short texts lose nothing. All queries and keys of a window turn by the same frequencies: the
cache keeps keys unrotated for that. But states below were made when the text was shorter, so a text beyond L that is
read in parts is not quite the text read at once, in two layers or more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rowspace.position.frequencies import Factor, Pairs, RopeOption, TrainedLength, plain
from rowspace.position.rope_ntk import ends, enlarged
from rowspace.registry import register

if TYPE_CHECKING:
    import numpy as np


@register("position")
class RopeDynamicNTK(RopeOption):
    """A base that grows with the window."""

    name: Literal["rope_dynamic_ntk"]
    fewest_pairs: ClassVar[int] = 2
    factor: Factor
    """How fast the base grows with the length; 1: s is n / L itself."""
    trained_n_ctx: TrainedLength
    """L, up to which nothing changes; null: model.n_ctx."""

    @property
    def stretches(self) -> bool:
        return True

    def unstretched(self, n_ctx: int) -> int:
        """L."""
        return self.trained(n_ctx)

    def scale(self, n_ctx: int, length: int | None) -> float:
        """s for a window of `length` tokens; 1 up to L."""
        trained = self.trained(n_ctx)
        return self.factor * max(length or n_ctx, trained) / trained - (self.factor - 1)

    def frequencies(self, d_head: int, n_ctx: int, length: int | None = None) -> np.ndarray:
        return plain(enlarged(self.base, self.scale(n_ctx, length), d_head), d_head)

    def pairs(self, d_head: int, n_ctx: int, length: int | None = None) -> Pairs:
        return ends(d_head, self.scale(n_ctx, length))

    def build(self, *, d: int, heads: int, n_ctx: int, generator: Any) -> Any:
        """The scheme whose table follows the length of the window."""
        from rowspace.position.rotary import StretchingRotary

        def frequencies(length: int) -> np.ndarray:
            return self.frequencies(d // heads, n_ctx, length)

        return StretchingRotary(frequencies=frequencies, unchanged=self.trained(n_ctx), n=n_ctx)
