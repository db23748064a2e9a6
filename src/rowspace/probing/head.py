"""What does the output head hold? How often U undoes the look-up of E, and whether its bias is a log frequency.

argmax_v U_v . E_i = i: the projection is learned and no inverse of the look-up, so the rate is measured, tied or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from rowspace.answers import Findings
from rowspace.probing.base import Needs, ProbeOption, Progress, RunSubject, Subject
from rowspace.registry import register


@register("probe")
class Head(ProbeOption):
    """Does the head answer each row of E with its own token, and does its bias follow frequency?"""

    needs: ClassVar[Needs] = "table"
    name: Literal["head"]
    sample: int | None = Field(ge=16)
    """Rows of E asked, drawn by seed, against all rows of U; null: all of them, which takes V * V * d."""
    examples: int = Field(ge=2, le=1000)
    """Tokens listed with what they map to, the commonest, successes and failures alike."""

    def fits(self, subject: Subject) -> str | None:
        """A table has no head unless E and U are both known, or known to be one."""
        if "E" not in subject.tables:
            return "this asks an input table E and the output table U, and the file holds no two such tables"
        if "U" in subject.tables or is_tied(subject):
            return None
        return "this asks an input table E and the output table U, and no U is known"

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """Scores of the inverse and of the bias; rows by token and by tenth of the vocabulary."""
        from rowspace.probing.head_telling import tell

        return tell(self, subjects, progress)


def is_tied(subject: Subject) -> bool:
    """E is the output table too: one tensor in a run, or said so by the files of a model."""
    if isinstance(subject, RunSubject):
        return bool(subject.model.tied)
    said = str(subject.tables["E"].source.get("output head", ""))
    return said.startswith("tied") or said.endswith("holds the same numbers as E")
