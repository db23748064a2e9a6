"""Rotation of adjacent pairs of queries and keys, as a product of complex numbers: (x_2k + i x_2k+1) e^(i p w_k)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from rowspace.position.scheme import FixedTable


class Rotary(FixedTable):
    """Turns the pair k of a query or key at position p by p w_k, and multiplies it by the attention factor.

    The table holds cos and sin alternating, (n, d_head), which is the complex turn of each pair.
    """

    def __init__(self, *, frequencies: np.ndarray, n: int, attention_factor: float = 1.0) -> None:
        super().__init__(rows=lambda length: attention_factor * turns(frequencies, length), n=n)

    def rotate(
        self, x: Float[Tensor, "B H T d_head"], positions: Int[Tensor, "#B T"] | None
    ) -> Float[Tensor, "B H T d_head"]:
        """x turned by the angles of its positions."""
        table = self.at(x.shape[2], positions)
        if positions is not None:
            table = table.unsqueeze(1)
        turn = torch.view_as_complex(table.unflatten(-1, (-1, 2)))
        # (B, H, T, d_head) -> (B, H, T, d_head / 2) complex, in the table's precision
        pairs = torch.view_as_complex(x.to(table.dtype).unflatten(-1, (-1, 2)))
        return torch.view_as_real(pairs * turn).flatten(-2).to(x.dtype)


class StretchingRotary(Rotary):
    """A rotation whose frequencies depend on the length of the window, beyond the length up to which nothing changes.

    The table has exactly as many rows as the window has positions (`unchanged` at least), so a later, shorter window
    is never read with the frequencies of a longer one.
    """

    steady: ClassVar[bool] = False

    def __init__(self, *, frequencies: Callable[[int], np.ndarray], unchanged: int, n: int) -> None:
        FixedTable.__init__(self, rows=lambda length: turns(frequencies(length), length), n=max(n, unchanged))
        self._unchanged = unchanged

    def reach(self, n: int) -> None:
        """Take the frequencies for a window of exactly n positions."""
        n = max(n, self._unchanged)
        if n != len(self.table):
            self.resize(n)


def turns(frequencies: np.ndarray, n: int) -> np.ndarray:
    """cos(p w_k), sin(p w_k) alternating over k, for positions 0..n-1: (n, 2 K) float64 from w (K,)."""
    angles = np.arange(n)[:, None] * frequencies
    return np.stack((np.cos(angles), np.sin(angles)), axis=-1).reshape(n, -1)
