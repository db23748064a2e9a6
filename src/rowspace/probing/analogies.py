"""Is queen nearest to king - man + woman? Three numbers always, and what the offset adds to mere closeness.

Our own questions or those of a synthetic corpus, and beside them the Google set (Mikolov et al. 2013) from the test
data of gensim where that is installed. Questions with a word that is no row of the table are skipped and counted.
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
class Analogies(ProbeOption):
    """Is b* nearest to b + a* - a? With the words of the question excluded, not excluded, and without the offset."""

    needs: ClassVar[Needs] = "table"
    name: Literal["analogies"]
    lists: str | None
    """A file of questions, JSON or in the format of questions-words.txt; null: what a synthetic corpus knows, else the
    English ones of this package."""
    google: bool
    """Ask the 19,544 questions of the Google set too, where gensim is installed and the text is English."""
    examples: int = Field(ge=2, le=1000)
    """Questions kept with their answers, successes and failures alike."""

    def problems(self, run: object) -> Iterable[Problem]:
        """A list that is not there."""
        if self.lists is not None and not Path(self.lists).is_file():
            yield Problem("analogies.lists", f"no file {self.lists!r}", "a file of analogies, or null")

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """Scores of 3CosAdd in three modes, of 3CosMul in two, and the gain; rows by section and by question."""
        from rowspace.probing.analogies_telling import tell

        return tell(self, subjects, progress)
