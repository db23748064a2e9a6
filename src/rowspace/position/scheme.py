"""PositionScheme: three hooks with neutral defaults, called unconditionally, so that attention has no flags.

`add` acts on h0, `rotate` on queries and keys, `bias` on scores, the last two in every attention layer. Positions are
None (0..T-1) or (B, T): windows may hold several documents whose positions restart, and a text that is continued token
by token goes on from the positions read before. The base class is the scheme `none`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class PositionScheme(nn.Module):
    """No positions; the base of every other scheme."""

    steady: ClassVar[bool] = True
    """`rotate` does the same to a position however far the window reaches, so that keys may be kept rotated."""

    def reach(self, n: int) -> None:
        """Have values for positions 0..n-1. ConfigError where the scheme has no such positions.

        Called before each forward pass, n being one past the largest position that stands in its window.
        """

    def add(self, h: Float[Tensor, "B T d"], positions: Int[Tensor, "#B T"] | None) -> Float[Tensor, "B T d"]:
        """h0 with positions in it."""
        return h

    def rotate(
        self, x: Float[Tensor, "B H T d_head"], positions: Int[Tensor, "#B T"] | None
    ) -> Float[Tensor, "B H T d_head"]:
        """Queries, or keys, with their positions in them."""
        return x

    def bias(
        self, queries: Int[Tensor, "#B Q"], keys: Int[Tensor, "#B K"], like: Tensor
    ) -> Float[Tensor, "#B #H Q K"] | None:
        """What is added to the scores of queries (rows) and keys at these positions, in the type and on the device of
        `like`; None: nothing."""
        return None


class FixedNumbers(PositionScheme):
    """A scheme with numbers that nothing trains.

    They are computed in float64 and kept in float32 (float64 in a float64 model), whatever type the model is moved to:
    in bf16 neighbouring positions beyond 256 would collapse. They are no part of the state dict.
    """

    table: Tensor

    def __init__(self, numbers: np.ndarray) -> None:
        super().__init__()
        self.register_buffer("table", torch.from_numpy(numbers).float(), persistent=False)

    @abstractmethod
    def numbers(self) -> np.ndarray:
        """The table as it is now, anew in float64."""

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> FixedNumbers:
        super()._apply(fn, recurse)
        wide = torch.float64 if self.table.dtype == torch.float64 else torch.float32
        self.table = torch.from_numpy(self.numbers()).to(device=self.table.device, dtype=wide)
        return self


class FixedTable(FixedNumbers):
    """Fixed numbers with a row a position; the table grows on demand."""

    def __init__(self, *, rows: Callable[[int], np.ndarray], n: int) -> None:
        super().__init__(rows(n))
        self._rows = rows

    def numbers(self) -> np.ndarray:
        return self._rows(len(self.table))

    def reach(self, n: int) -> None:
        """Extend the table to positions 0..n-1 where it is shorter."""
        if n > len(self.table):
            self.resize(n)

    def resize(self, n: int) -> None:
        """Compute the table anew, for positions 0..n-1."""
        self.table = torch.from_numpy(self._rows(n)).to(self.table)

    def at(self, T: int, positions: Int[Tensor, "#B T"] | None) -> Float[Tensor, "*B T w"]:
        """The table's rows for T tokens at `positions`."""
        return self.table[:T] if positions is None else self.table[positions]


def number_like(scheme: PositionScheme) -> Tensor:
    """An empty tensor of the scheme's device and floating-point type, float32 at least."""
    for tensor in (*scheme.parameters(), *scheme.buffers()):
        if tensor.is_floating_point():
            return tensor.new_empty(0, dtype=torch.promote_types(tensor.dtype, torch.float32))
    return torch.empty(0)
