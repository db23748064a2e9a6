"""Text from a known process."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from rowspace.data.base import DataOption, Documents, Progress
from rowspace.registry import register


@register("data")
class Synthetic(DataOption):
    """Text drawn from a known process, with the exact floor of every document beside it."""

    name: Literal["synthetic"]
    lexicon: Literal["invented", "course"]
    """course: the chapters' own words; invented: words of no language, in the same places."""
    size: int = Field(ge=3, le=10_000_000)
    """Documents to draw."""
    noise: float = Field(ge=0, le=1)
    """Probability that a content word is replaced by any content word, drawn evenly."""
    zipf: float = Field(ge=0, le=4)
    """Exponent of word frequencies within a class: weight 1 / rank^zipf."""
    seed: int = Field(ge=0, lt=2**31)
    """Of the draw; the process itself does not depend on it."""

    def load(self, *, cache: Path, progress: Progress | None = None) -> Documents:
        raise RuntimeError
