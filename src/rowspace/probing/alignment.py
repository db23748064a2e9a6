"""Are two tables of the same tokens alike? E and U of one run, E now and at its start, or the tables of two runs.

Neighbour overlap, linear CKA and a rotation fitted on half of the rows and scored on the other half. None is 0 for
tables that have nothing to do with each other, so each stands beside what pairing the rows at random gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from rowspace.probing.base import Findings, Needs, ProbeOption, Progress, Subject
from rowspace.registry import register


@register("probe")
class Alignment(ProbeOption):
    """Are two tables of the same tokens alike? Neighbours, inner products and a rotation, beside chance."""

    needs: ClassVar[Needs] = "table"
    name: Literal["alignment"]
    k: int = Field(ge=1, le=100)
    """Nearest rows compared, by cosine."""
    queries: int = Field(ge=2, le=50_000)
    """Rows whose neighbours are compared at most: a seeded sample, against all rows."""
    shuffles: int = Field(ge=2, le=50)
    """Random pairings of the rows behind the chance of CKA and of the rotation."""
    words: int = Field(ge=1, le=200)
    """Tokens named whose neighbours differ most, and as many whose neighbours agree best."""

    def fits_together(self, subjects: Sequence[Subject]) -> str | None:
        """A table alone has nothing to be compared with."""
        from rowspace.probing.alignment_pairs import say_alone

        return say_alone(subjects)

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """One line a pair of tables. ConfigError where there is one table alone."""
        from rowspace.probing.alignment_telling import tell

        return tell(self, subjects, progress)
