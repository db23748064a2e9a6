"""Do tokens that keep the same company have rows that point the same way? Cosine of E against cosine of PPMI.

The course says that cosine tracks distributional similarity. Here it is held against what counting finds in the very
text that the run was trained on. Chance deals the rows anew among tokens as common, since both sides follow frequency;
what frequency alone would say stands beside, and the same by frequency: common words are known to distort cosines (Zhou
et al. 2022).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from rowspace.answers import Findings
from rowspace.errors import Problem
from rowspace.probing.base import Needs, ProbeOption, Progress, Subject
from rowspace.registry import register


@register("probe")
class AssociationProbe(ProbeOption):
    """Do rows lie as near as the text says that their tokens keep the same company?"""

    needs: ClassVar[Needs] = "text"
    name: Literal["association"]
    tokens: int = Field(ge=20, le=5000)
    """The commonest tokens, all pairs of them compared: time and memory by their square."""
    contexts: int = Field(ge=20, le=20_000)
    """The commonest tokens whose company counts; memory tokens x contexts."""
    window: int = Field(ge=1, le=50)
    """Tokens on each side that are company, within one document."""
    max_tokens: int = Field(ge=1000)
    """Tokens of the training text, from its start, in which pairs are counted."""

    def problems(self, run: Any) -> Iterable[Problem]:
        """Fewer contexts than tokens."""
        if self.contexts < self.tokens:
            right = f"at least association.tokens={self.tokens}: the tokens are contexts too"
            yield Problem("association.contexts", f"{self.contexts} was given", right)

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """Rank correlation of all pairs, by tenth, beside chance and frequency; the first subject beside the others."""
        from rowspace.probing.association_telling import measure

        return measure(self, subjects, progress)
