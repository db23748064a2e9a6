"""What every position option declares. Imports no torch: the modules are in `scheme.py` and its noun files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

from rowspace.errors import Problem
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

    @property
    def stretches(self) -> bool:
        """Beyond some length, what it does to a position depends on how long the window is.

        A longer window then changes the states of its earlier tokens too: a text read in parts, with a cache, is not
        the text read at once, once it is longer than that.
        """
        return False

    def unstretched(self, n_ctx: int) -> int | None:
        """Length of a window up to which it does the same to every position; None where all lengths are alike."""
        return None

    def places(self, n_ctx: int) -> int | None:
        """Positions that have a value of their own, from 0 on, in windows of n_ctx; None where all have."""
        return None

    def max_positions(self, n_ctx: int) -> int | None:
        """One past the largest position that the scheme has a value for, in windows of n_ctx; None without a limit."""
        return None

    def notes(self, n_ctx: int) -> Iterable[str]:
        """What a person should know of it in a model that is trained on windows of n_ctx: a choice that has a price."""
        return ()

    def remarks(self, run: Any, steps: int) -> Iterable[str]:
        """The notes, before a run."""
        return self.notes(run.model.n_ctx)

    def problems(self, run: Any) -> Iterable[Problem]:
        """A scheme inside attention needs a body that attends, and one that stretches a window of one text."""
        if self.inside_attention and run.body is not None and not run.body.attends:
            given = f"{self.name} acts inside attention, and body={run.body.name} has none"
            yield Problem("position", given, "position=none, sinusoidal or learned")
        data = getattr(run, "data", None)
        if data is None or run.model is None or data.documents != "isolated":
            return
        same = self.unstretched(run.model.n_ctx)
        if same is not None and same < run.model.n_ctx:
            # else a document's states would depend on how long its neighbours in the batch are
            given = f"isolated was given, and position={self.name} stretches by the length of the window beyond {same}"
            yield Problem("data.documents", given, f"packed, or model.n_ctx={same} at most")

    @abstractmethod
    def build(self, *, d: int, heads: int, n_ctx: int, generator: Any) -> Any:
        """The `rowspace.position.scheme.PositionScheme` module for width d, H heads and windows of n_ctx tokens.

        `generator` is a torch generator, for schemes that have something to draw.
        """
