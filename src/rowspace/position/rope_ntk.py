"""NTK-aware scaling: a larger base instead of closer positions (bloc97 2023, "NTK-aware scaled RoPE").

base' = base s^(d_head / (d_head - 2)), so that the fastest pair stays and the slowest is divided by exactly s; between
them the divisor grows evenly with the pair, s^(2k / (d_head - 2)).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from rowspace.position.frequencies import Factor, Pairs, RopeOption, plain
from rowspace.registry import register

if TYPE_CHECKING:
    import numpy as np


def enlarged(base: float, factor: float, d_head: int) -> float:
    """The base whose slowest pair is `factor` times slower: base s^(d_head / (d_head - 2))."""
    return base * factor ** (d_head / (d_head - 2))


def ends(d_head: int, factor: float) -> Pairs:
    """What the larger base says: the first pair is kept and the last divided."""
    import numpy as np

    k = np.arange(d_head // 2)
    return Pairs(kept=k == 0, divided=k == k[-1], by=factor)


@register("position")
class RopeNTK(RopeOption):
    """A base enlarged for s times the trained length."""

    name: Literal["rope_ntk"]
    fewest_pairs: ClassVar[int] = 2
    factor: Factor
    """s, what the slowest pair is divided by."""

    def frequencies(self, d_head: int, n_ctx: int, length: int | None = None) -> np.ndarray:
        return plain(enlarged(self.base, self.factor, d_head), d_head)

    def pairs(self, d_head: int, n_ctx: int, length: int | None = None) -> Pairs:
        return ends(d_head, self.factor)
