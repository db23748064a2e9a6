"""Do states tell the senses of a word apart? Sense-labelled sentences through every layer, the cue before and after.

The row of E is one and the same for every sense; what tells them apart must come from the context. Where the cue stands
behind the word, a body that only looks back cannot know the sense: there chance is what is right. Measures of
Ethayarajh (EMNLP 2019) stand beside: self-similarity, intra-sentence similarity and maximum explainable variance, each
less that of random occurrences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from rowspace.answers import Findings
from rowspace.errors import Problem
from rowspace.probing.base import Needs, ProbeOption, Progress, Subject
from rowspace.registry import register


@register("probe")
class Senses(ProbeOption):
    """Do the states of a word differ by its sense, by layer, beside labels that were exchanged?"""

    needs: ClassVar[Needs] = "model"
    name: Literal["senses"]
    lists: str | None
    """A JSON file of sense-labelled sentences; null: what a synthetic corpus knows, else the English ones of this
    package."""
    labelings: int = Field(ge=99, le=100_000)
    """Exchanges of labels behind each chance: all of a word's where it has no more, else so many at random."""
    draws: int = Field(ge=1000, le=1_000_000)
    """Ways to put the words' exchanges together, behind the interval over all words."""
    groups: int = Field(ge=1, le=1000)
    """Random groups of occurrences behind the baseline of explainable variance."""

    def problems(self, run: Any) -> Iterable[Problem]:
        """A list that is not there."""
        if self.lists is not None and not Path(self.lists).is_file():
            yield Problem("senses.lists", f"no file {self.lists!r}", "a JSON file of sentences, or null")

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """Scores of the first run's final states; rows by run, cue and layer, by word, and by sentence."""
        from rowspace.probing.sense_states import measure

        return measure(self, subjects, progress)
