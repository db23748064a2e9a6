"""Learned absolute positions: a table P (n_max, d), its rows added to the embedded tokens (Gehring et al. 2017; GPT-2).

There is no row beyond n_max, so the scheme cannot extrapolate: a longer window is refused, never clamped or wrapped.
Rows beyond the training window exist where n_max is larger, but nothing trains them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from pydantic import Field

from rowspace.errors import Problem
from rowspace.position.base import PositionOption
from rowspace.registry import register


@register("position")
class Learned(PositionOption):
    """One trained vector a position."""

    name: Literal["learned"]
    learned: ClassVar[bool] = True
    n_max: int | None = Field(ge=1)
    """Rows of the table; null: as many as a window has tokens (model.n_ctx)."""
    std: float = Field(gt=0)
    """Standard deviation of an entry at the start."""

    def max_positions(self, n_ctx: int) -> int:
        """Rows of the table."""
        return n_ctx if self.n_max is None else self.n_max

    def problems(self, run: Any) -> Iterable[Problem]:
        """A window must not be longer than the table."""
        if run.model is not None and run.model.n_ctx > self.max_positions(run.model.n_ctx):
            given = f"{self.n_max} positions are fewer than model.n_ctx={run.model.n_ctx}"
            yield Problem("position.n_max", given, f"at least {run.model.n_ctx}, or null")

    def build(self, *, d: int, heads: int, n_ctx: int, generator: Any) -> Any:
        """The scheme that adds trained rows."""
        from rowspace.position.additive import LearnedAddition

        return LearnedAddition(n=self.max_positions(n_ctx), d=d, std=self.std, generator=generator)
