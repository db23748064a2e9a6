"""What lies near what? Nearest rows of chosen and drawn words with verdicts, and five ways to measure nearness.

The hit rate is the share of nearest rows that stand in a word list with the word. Cosine, dot product, distance, CSLS
and centred cosine are compared by it, each beside what its own neighbours would score by chance.
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
class Neighbours(ProbeOption):
    """What lies near what? Nearest rows with verdicts, by five measures, beside chance."""

    needs: ClassVar[Needs] = "table"
    name: Literal["neighbours"]
    measure_by: Literal["cosine", "dot", "euclidean", "csls", "centred"]
    """The measure whose neighbours are listed; the hit rate is given for all five."""
    neighbours: int = Field(ge=1, le=100)
    """Nearest rows for each word."""
    words: list[str]
    """Words looked up by name."""
    per_decile: int = Field(ge=0, le=100)
    """Words drawn at random from each tenth of the vocabulary by frequency."""
    several_pieces: Literal["skip", "mean", "first", "last"]
    """A listed word of several pieces: skip it, or look up the mean, the first or the last of its rows."""
    min_count: int = Field(ge=0)
    """A row seen less often than this in training is called under-trained, not wrong."""
    lists: str | None
    """A JSON file of word lists; null: the classes of a synthetic corpus, else the English ones of this package."""
    listed: int = Field(ge=10)
    """Words of the lists asked for the hit rates, at most: a sample by seed where there are more."""
    draws: int = Field(ge=100, le=10_000)
    """Dealings of the lists' words behind chance."""

    def problems(self, run: object) -> Iterable[Problem]:
        """A list that is not there."""
        if self.lists is not None and not Path(self.lists).is_file():
            yield Problem("neighbours.lists", f"no file {self.lists!r}", "a JSON file of word lists, or null")

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """Five scores; rows by word and neighbour with verdicts, and by measure."""
        from rowspace.probing.neighbours_telling import tell

        return tell(self, subjects, progress)
