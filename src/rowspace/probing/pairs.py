"""Do words that belong together lie near each other? Cat and kitten, doctor and hospital, France and Paris.

The percentile rank of the partner among all tokens, from either word, and among tokens of its own frequency. A random
table gives 50 on average.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from rowspace.answers import Findings
from rowspace.errors import Problem
from rowspace.probing.base import Needs, ProbeOption, Progress, Subject
from rowspace.registry import register


@register("probe")
class Pairs(ProbeOption):
    """Do words that belong together lie near each other? Percentile ranks of the partner, beside chance."""

    needs: ClassVar[Needs] = "table"
    name: Literal["pairs"]
    lists: str | None
    """A JSON file of pairs; null: what a synthetic corpus knows, else the English ones of this package."""
    several_pieces: Literal["skip", "mean", "first", "last"]
    """A word of several pieces: skip its pairs, or take the mean, the first or the last of its rows."""
    close: float = Field(gt=50, lt=100)
    """Percentile from which a pair is called a success; a table that knows nothing passes 95 with 1 pair in 20."""
    min_count: int = Field(ge=0)
    """A word seen less often than this in training is called under-trained, not wrong."""

    def problems(self, run: object) -> Iterable[Problem]:
        """A list that is not there."""
        if self.lists is not None and not Path(self.lists).is_file():
            yield Problem("pairs.lists", f"no file {self.lists!r}", "a JSON file of pairs, or null")

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """Two scores; rows by pair, successes and failures alike, and by relation."""
        from rowspace.probing.pairs_telling import tell

        return tell(self, subjects, progress)
