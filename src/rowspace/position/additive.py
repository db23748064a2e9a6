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


class ClampedAddition(LearnedAddition):
    """Positions beyond the table get its last row."""

    def reach(self, n: int) -> None:
        """Every position has a row, if not its own."""

    def add(self, h: Float[Tensor, "B T d"], positions: Int[Tensor, "#B T"] | None) -> Float[Tensor, "B T d"]:
        """The sum."""
        if positions is None:
            positions = torch.arange(h.shape[1], device=h.device)[None]
        return super().add(h, positions.clamp(max=len(self.table) - 1))


class InterpolatedAddition(LearnedAddition):
    """In a window of n positions, more than the table has, position p lies at p (rows - 1) / (n - 1) between rows."""

    def __init__(self, *, n: int, d: int, std: float, generator: torch.Generator) -> None:
        super().__init__(n=n, d=d, std=std, generator=generator)
        self._n = n

    def reach(self, n: int) -> None:
        """Spread the rows over n positions, where these are more."""
        self._n = max(n, len(self.table))

    def add(self, h: Float[Tensor, "B T d"], positions: Int[Tensor, "#B T"] | None) -> Float[Tensor, "B T d"]:
        """The sum, with rows mixed in their own type."""
        rows = len(self.table)
        if self._n == rows:
            return super().add(h, positions)
        if positions is None:
            positions = torch.arange(h.shape[1], device=h.device)[None]
        at = positions.double() * ((rows - 1) / (self._n - 1))
        below = at.long().clamp(max=rows - 1)
        above = (below + 1).clamp(max=rows - 1)
        return h + torch.lerp(self.table[below], self.table[above], (at - below)[..., None].to(self.table.dtype))
