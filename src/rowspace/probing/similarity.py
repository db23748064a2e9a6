"""Do cosines order pairs of words as people do? Spearman's rho with WordSim-353 and SimLex-999.

WordSim-353 (Finkelstein et al. 2001) rates relatedness, SimLex-999 (Hill et al. 2015) likeness proper. Both are read
from the test data of gensim, or ratings of one's own from a file.
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
class Similarity(ProbeOption):
    """Do cosines agree with what people find alike? Rank correlation over the pairs that have rows."""

    needs: ClassVar[Needs] = "table"
    name: Literal["similarity"]
    ratings: str | None
    """A file of word TAB word TAB number; null: WordSim-353 and SimLex-999 of an installed gensim."""
    several_pieces: Literal["skip", "mean", "first", "last"]
    """A word of several pieces: skip its pairs, or take the mean, the first or the last of its rows."""
    resamples: int = Field(ge=100, le=100_000)
    """Of the pairs behind each interval, and of the ratings behind chance."""

    def problems(self, run: object) -> Iterable[Problem]:
        """A file that is not there."""
        if self.ratings is not None and not Path(self.ratings).is_file():
            yield Problem("similarity.ratings", f"no file {self.ratings!r}", "a file of ratings, or null")

    def fits(self, subject: Subject) -> str | None:
        """Without ratings there is nothing to ask."""
        from rowspace.probes.questions import NO_GENSIM, SIMLEX, WORDSIM, find_gensim_file

        if self.ratings is None and None in (find_gensim_file(WORDSIM), find_gensim_file(SIMLEX)):
            return NO_GENSIM
        if self.ratings is None and subject.truth.get("classes"):
            return "the ratings are of English words, and the corpus is synthetic"
        return None

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """One score a set of ratings; rows by pair."""
        from rowspace.probing.similarity_telling import tell

        return tell(self, subjects, progress)
