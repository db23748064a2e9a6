"""Learned absolute positions: a table P (n_max, d), its rows added to the embedded tokens (Gehring et al. 2017; GPT-2).

There is no row beyond n_max, so the scheme cannot extrapolate: a longer window is refused, unless `beyond` says what to
make of it. `clamp` gives every later position the last row; `interpolate` spreads the rows over the window, so that
position p of n reads between the rows p (n_max - 1) / (n - 1), and every position of a longer window moves.
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
    beyond: Literal["refuse", "clamp", "interpolate"]
    """What becomes of windows longer than the table: refuse them, clamp positions to the last row, interpolate rows."""
    std: float = Field(gt=0)
    """Standard deviation of an entry at the start."""

    @property
    def stretches(self) -> bool:
        return self.beyond == "interpolate"

    def unstretched(self, n_ctx: int) -> int | None:
        """Rows of the table, where longer windows are read between them."""
        return self.places(n_ctx) if self.stretches else None

    def places(self, n_ctx: int) -> int:
        """Rows of the table."""
        return n_ctx if self.n_max is None else self.n_max

    def max_positions(self, n_ctx: int) -> int | None:
        """Rows of the table, where longer windows are refused."""
        return self.places(n_ctx) if self.beyond == "refuse" else None

    def notes(self, n_ctx: int) -> Iterable[str]:
        """What longer windows get instead of rows of their own."""
        rows = self.places(n_ctx)
        if self.beyond == "clamp":
            yield f"position=learned beyond=clamp: all positions from {rows - 1} on share one row"
        if self.beyond == "interpolate":
            yield f"position=learned beyond=interpolate: windows of more than {rows} tokens read between the rows"

    def problems(self, run: Any) -> Iterable[Problem]:
        """A window must not be longer than the table, unless that is asked for."""
        yield from super().problems(run)
        if run.model is not None and run.model.n_ctx > (self.max_positions(run.model.n_ctx) or run.model.n_ctx):
            given = f"{self.n_max} positions are fewer than model.n_ctx={run.model.n_ctx}"
            right = f"at least {run.model.n_ctx}, or null; position.beyond=clamp and interpolate do without rows"
            yield Problem("position.n_max", given, right)

    def build(self, *, d: int, heads: int, n_ctx: int, generator: Any) -> Any:
        """The scheme that adds trained rows."""
        from rowspace.position.additive import ClampedAddition, InterpolatedAddition, LearnedAddition

        kinds = {"refuse": LearnedAddition, "clamp": ClampedAddition, "interpolate": InterpolatedAddition}
        return kinds[self.beyond](n=self.places(n_ctx), d=d, std=self.std, generator=generator)
