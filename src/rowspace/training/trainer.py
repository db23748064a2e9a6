"""The trainer: one machine, one device, a budget in steps, tokens or epochs.

Never in seconds: a run must not depend on how busy the machine is. Lightning's part is in `rowspace.training.fitting`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from rowspace.errors import Problem
from rowspace.registry import register
from rowspace.training.base import TrainerOption

BUDGETS = ("max_steps", "max_tokens", "max_epochs")


@register("trainer")
class Trainer(TrainerOption):
    """One process on one device."""

    name: Literal["default"]

    def problems(self, run: Any) -> Iterator[Problem]:
        """Other than one budget."""
        chosen = [budget for budget in BUDGETS if getattr(self, budget) is not None]
        if len(chosen) != 1:
            given = " and ".join(f"{budget}={getattr(self, budget)}" for budget in chosen) or "no budget"
            right = "exactly one of trainer.max_steps, trainer.max_tokens, trainer.max_epochs; set the others to null"
            yield Problem("trainer", f"{given} was given", right)
