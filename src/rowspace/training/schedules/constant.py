"""Constant learning rate after the warm-up."""

from __future__ import annotations

from typing import Literal

from rowspace.registry import register
from rowspace.training.base import ScheduleOption


@register("schedule")
class Constant(ScheduleOption):
    """Full rate to the end."""

    name: Literal["constant"]

    def after_warmup(self, step: int, total_steps: int) -> float:
        """1 everywhere."""
        return 1.0
