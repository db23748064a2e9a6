"""What a body keeps of the tokens that it has read, so that reading one more costs one row and not the whole text.

Attention keeps keys and values, the keys rotated; only where a scheme's angles depend on the length read so far
(dynamic NTK) are they kept as they were before, or keys of several lengths would be mixed. Recurrent layers keep their
state.
"""

from __future__ import annotations

from typing import Any

from jaxtyping import Float
from torch import Tensor


class KeyValues:
    """Keys and values of one layer, in memory that doubles when it is full."""

    def __init__(self) -> None:
        self.length = 0
        self._keys: Tensor | None = None
        self._values: Tensor | None = None

    def extend(
        self, k: Float[Tensor, "B H T d_head"], v: Float[Tensor, "B H T d_head"]
    ) -> tuple[Float[Tensor, "B H S d_head"], Float[Tensor, "B H S d_head"]]:
        """Append T positions; all S kept so far, these included."""
        start, self.length = self.length, self.length + k.shape[2]
        self._keys, self._values = (
            _roomy(self._keys, k, start, self.length),
            _roomy(self._values, v, start, self.length),
        )
        self._keys[:, :, start : self.length] = k
        self._values[:, :, start : self.length] = v
        return self._keys[:, :, : self.length], self._values[:, :, : self.length]


class Cache:
    """One text, or B of equal length, read so far: `length` tokens, and what each layer keeps (None: nothing yet)."""

    def __init__(self, layers: list[Any]) -> None:
        self.layers = layers
        self.length = 0


def _roomy(kept: Tensor | None, new: Tensor, start: int, length: int) -> Tensor:
    """Memory for `length` positions at least, with the first `start` of `kept` in it."""
    if kept is not None and kept.shape[2] >= length:
        return kept
    B, H, _, d_head = new.shape
    roomy = new.new_empty(B, H, max(length, 2 * start), d_head)
    if kept is not None:
        roomy[:, :, :start] = kept[:, :, :start]
    return roomy
