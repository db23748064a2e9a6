"""Cosine: from the full rate down to a floor along half a cosine wave (Loshchilov & Hutter 2017)."""

from __future__ import annotations

from math import cos, pi
from typing import Literal

from pydantic import Field

from rowspace.registry import register
from rowspace.training.base import ScheduleOption


@register("schedule")
class Cosine(ScheduleOption):
    """f + (1 - f) (1 + cos(pi s / S)) / 2 at step s of S after the warm-up."""

    name: Literal["cosine"]
    final_factor: float = Field(ge=0, le=1)
    """f, the factor that the rate ends at."""

    def after_warmup(self, step: int, total_steps: int) -> float:
        """1 at the first step, nearly `final_factor` at the last."""
        share = min(step / total_steps, 1.0)
        return self.final_factor + (1 - self.final_factor) * (1 + cos(pi * share)) / 2
