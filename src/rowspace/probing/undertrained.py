"""Which rows were hardly trained, and can one tell from the table alone? Land & Bartolo 2024, against known counts.

The counts of the training text are the truth here, so that the indicators that people use on other people's models are
scored: precision, recall and AUC, false positives shown. A table without counts gets a list of suspects and the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from rowspace.answers import Findings
from rowspace.probing.base import ProbeOption, Progress, Subject
from rowspace.registry import register


@register("probe")
class Undertrained(ProbeOption):
    """Which rows look as if no text ever reached them, and is it true?"""

    name: Literal["undertrained"]
    share: float = Field(gt=0, lt=1)
    """Share of the rows that are flagged: the lowest by the indicator."""
    min_count: int = Field(ge=1)
    """A token seen less often than this in training was hardly seen."""
    listed: int = Field(ge=1, le=1000)
    """Suspects shown, and as many false positives."""

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """Rows by indicator and by token, of the first subject beside the headlines of the others."""
        from rowspace.probing.undertrained_telling import measure

        return measure(self, subjects)
