"""Rotation of adjacent pairs of queries and keys, as a product of complex numbers: (x_2k + i x_2k+1) e^(i p w_k)."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from rowspace.position.scheme import FixedTable


class Rotary(FixedTable):
    """Turns the pair k of a query or key at position p by p w_k.

    The table holds cos and sin alternating, (n, d_head), which is the complex turn of each pair.
    """

    def __init__(self, *, frequencies: np.ndarray, n: int) -> None:
        super().__init__(rows=lambda length: turns(frequencies, length), n=n)

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


def turns(frequencies: np.ndarray, n: int) -> np.ndarray:
    """cos(p w_k), sin(p w_k) alternating over k, for positions 0..n-1: (n, 2 K) float64 from w (K,)."""
    angles = np.arange(n)[:, None] * frequencies
    return np.stack((np.cos(angles), np.sin(angles)), axis=-1).reshape(n, -1)
