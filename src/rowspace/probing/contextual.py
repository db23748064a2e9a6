"""How far do states move from the rows of E? Neighbours raw against contextual, cosine to the own row, logit lens.

The contextual state of a token is that of the token alone behind <eos>: a template, no text. Where no position is added
to h0, the states of layer 0 are the rows themselves, and all their neighbours are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from rowspace.answers import Findings
from rowspace.probing.base import Needs, ProbeOption, Progress, Subject
from rowspace.registry import register


@register("probe")
class Contextual(ProbeOption):
    """How far have the states of each layer moved from the rows of E?"""

    needs: ClassVar[Needs] = "model"
    name: Literal["contextual"]
    tokens: int = Field(ge=16, le=100_000)
    """Tokens that may be neighbours, spread evenly over those seen in training by frequency. Time grows with its
    square."""
    k: int = Field(ge=1, le=100)
    """Nearest tokens compared."""
    prompts: list[str]
    """Texts whose last state each layer's next token is read from (logit lens); also read for the cosine to the own
    row."""
    top: int = Field(ge=1, le=20)
    """Likeliest tokens shown."""

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """Rows by run and layer, and the likeliest tokens by prompt and layer; no score: moving is neither good nor
        bad."""
        from rowspace.probing.lenses import measure

        return measure(self, subjects, progress)
