"""What every position option declares. Imports no torch: the modules are in `scheme.py` and its noun files."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from rowspace.registry import Option


class PositionOption(Option):
    """A position scheme: how order enters the model, and what the scheme claims about itself."""

    name: str

    relative: ClassVar[bool] = False
    """Claims that attention scores depend on the offset of two positions only."""
    learned: ClassVar[bool] = False
    """Has parameters of its own."""
    inside_attention: ClassVar[bool] = False
    """Acts on queries, keys or scores and leaves h0 alone."""

    def max_positions(self, n_ctx: int) -> int | None:
        """One past the largest position that the scheme has a value for, in windows of n_ctx; None without a limit."""
        return None

    @abstractmethod
    def build(self, *, d: int, heads: int, n_ctx: int, generator: Any) -> Any:
        """The `rowspace.position.scheme.PositionScheme` module for width d, H heads and windows of n_ctx tokens.

        `generator` is a torch generator, for schemes that have something to draw.
        """
