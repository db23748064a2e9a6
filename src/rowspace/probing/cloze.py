"""Does the model expect what is likely? Log-probabilities of likely and unlikely words behind a prompt.

"The cat sat on the": mat, chair, floor rather than banana, airplane. The margin is the mean log-probability of the
likely words less that of the unlikely ones, in nats. What frequency alone gives stands beside, and the prompts of this
package come in pairs that swap their words, so that frequency earns one of the two and no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from rowspace.answers import Findings
from rowspace.errors import Problem
from rowspace.probing.base import Needs, ProbeOption, Progress, RunSubject, Subject
from rowspace.registry import register


@register("probe")
class Cloze(ProbeOption):
    """Are likely continuations likelier than unlikely ones, beside token frequencies alone?"""

    needs: ClassVar[Needs] = "model"
    name: Literal["cloze"]
    lists: str | None
    """A JSON file of prompts; null: what a synthetic corpus knows, else the English ones of this package."""

    def fits(self, subject: Subject) -> str | None:
        """A body that gives each next token a probability is needed."""
        if isinstance(subject, RunSubject) and not subject.config.body.continues:
            return (
                f"body={subject.config.body.name} gives no next token a probability; ask a run with a body that "
                "continues text, such as body=decoder"
            )
        return super().fits(subject)

    def problems(self, run: Any) -> Iterable[Problem]:
        """A list that is not there."""
        if self.lists is not None and not Path(self.lists).is_file():
            yield Problem("cloze.lists", f"no file {self.lists!r}", "a JSON file of prompts, or null")

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """Scores of the first run; rows by run and prompt."""
        from rowspace.probing.cloze_margins import measure

        return measure(self, subjects, progress)
