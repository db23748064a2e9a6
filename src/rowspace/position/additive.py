"""Schemes that add a vector a position to h0, fixed or learned."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from rowspace.errors import ConfigError
from rowspace.position.scheme import FixedTable, PositionScheme


class FixedAddition(FixedTable):
    """h0 + P[positions] with a fixed P of width d."""

    def add(self, h: Float[Tensor, "B T d"], positions: Int[Tensor, "#B T"] | None) -> Float[Tensor, "B T d"]:
        """The sum, taken in the table's precision, in h's type."""
        return (h + self.at(h.shape[1], positions)).to(h.dtype)


class LearnedAddition(PositionScheme):
    """h0 + P[positions] with a trained P (n, d)."""

    def __init__(self, *, n: int, d: int, std: float, generator: torch.Generator) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(n, d).normal_(std=std, generator=generator))

    def reach(self, n: int) -> None:
        """Refuse positions without a row."""
        if n > len(self.table):
            raise ConfigError(
                f"position=learned has {len(self.table)} rows and no row for position {n - 1}; "
                f"give it at most {len(self.table)} tokens, or train with position.n_max={n} or more"
            )

    def add(self, h: Float[Tensor, "B T d"], positions: Int[Tensor, "#B T"] | None) -> Float[Tensor, "B T d"]:
        """The sum."""
        return h + (self.table[: h.shape[1]] if positions is None else self.table[positions])
