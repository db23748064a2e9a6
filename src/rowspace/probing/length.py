"""How long a text can this model read? Bits per byte of the same text in windows of 1x to 8x the trained length.

Two ways to cut the windows, since one alone misleads. Apart: windows follow one another, so that the first tokens of
each have little before them, and a longer window has fewer such tokens; a gain may be nothing else (the early-token
curse). Sliding: each window scores its last `stride` targets only, so that every target has at least length - stride
tokens before it. All lengths, both ways and all schemes score the very same targets. Press et al. 2022 (appendix B).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from rowspace.answers import Findings
from rowspace.errors import Problem, closest
from rowspace.probing.base import Needs, ProbeOption, Progress, Subject
from rowspace.registry import register


@register("probe")
class Length(ProbeOption):
    """How long a text can the model read? Bits per byte at multiples of the trained length, by position."""

    needs: ClassVar[Needs] = "text"
    name: Literal["length"]
    factors: list[Annotated[int, Field(ge=1, le=16)]] = Field(min_length=1)
    """Lengths of the windows, in trained lengths (model.n_ctx); 16 at most: a window's scores take memory and time by
    the square of its length."""
    stride: int | None = Field(ge=1)
    """Targets that a sliding window scores; null: half the trained length. Half the stride is twice the cost."""
    max_tokens: int = Field(ge=64)
    """Targets scored at most, in whole documents. Each is read by every model length / stride times at each length and
    once more in windows apart: 34 times with the lengths and stride above, 256 times at most."""
    split: Literal["val", "test"]
    """Which text: one that the run never trained on."""
    points: int = Field(ge=1, le=64)
    """Points of the curve by position, in each trained length."""
    scalings: list[str]
    """Schemes of `scaled` that replace rope in a trained rope run, with the same weights; [] for none."""
    scaled: dict[str, dict[str, Any]]
    """Settings of these schemes. Their factor and trained_n_ctx are set for each length, their base is the run's."""
    resamples: int = Field(ge=100, le=100_000)
    """Bootstrap resamples of the documents behind each interval."""

    def stride_of(self, n_ctx: int) -> int:
        """Targets that a sliding window scores in a run of this trained length."""
        return self.stride or max(1, n_ctx // 2)

    def problems(self, run: Any) -> Iterable[Problem]:
        """A scaling without settings."""
        for name in self.scalings:
            if name not in self.scaled:
                yield Problem("length.scalings", f"{name!r} was given", closest(name, self.scaled))

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """Rows by run, scheme, length and way to cut, and by position within the longest window."""
        from rowspace.probing.lengths import measure

        return measure(self, subjects, progress)
