"""Warm-up, stable, decay: the full rate, then a straight line down at the end (Hu et al. 2024, MiniCPM).

Unlike cosine, the stable part does not depend on the length of the run, so that one run can be continued.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rowspace.registry import register
from rowspace.training.base import ScheduleOption


@register("schedule")
class WSD(ScheduleOption):
    """1, then linear to `final_factor` over the last `decay_share` of the steps."""

    name: Literal["wsd"]
    decay_share: float = Field(gt=0, le=1)
    """Share of the steps after the warm-up that the decay takes."""
    final_factor: float = Field(ge=0, le=1)
    """The factor that the rate ends at."""

    def after_warmup(self, step: int, total_steps: int) -> float:
        """1 while stable, then down the line."""
        decay = max(round(self.decay_share * total_steps), 1)
        into = step - (total_steps - decay)
        if into <= 0:
            return 1.0
        return 1.0 - (1.0 - self.final_factor) * min(into / decay, 1.0)
