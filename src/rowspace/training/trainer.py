"""The trainer: one machine, one device or several, a budget in steps, tokens or epochs.

Never in seconds: a run must not depend on how busy the machine is. Lightning's part is in `rowspace.training.fitting`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Literal

from rowspace.errors import Problem
from rowspace.registry import register
from rowspace.training.base import TrainerOption

BUDGETS = ("max_steps", "max_tokens", "max_epochs")


@register("trainer")
class Trainer(TrainerOption):
    """One process a device."""

    name: Literal["default"]

    def problems(self, run: Any) -> Iterator[Problem]:
        """Other than one budget, and devices that cannot share their work."""
        yield from self._budget_problems()
        if self.strategy == "fsdp":
            yield Problem("trainer.strategy", *self._why_no_fsdp())
        if self.devices > 1 and getattr(run, "optimizer", None) and run.optimizer.sparse_embedding:
            given = f"{self.devices} was given with optimizer={run.optimizer.name}, whose gradient of E is sparse"
            yield Problem("trainer.devices", given, "1, or an optimizer with a dense gradient, such as adamw")

    def remarks(self, run: Any, steps: int) -> Iterator[str]:
        """Of what the numbers of several devices are, and whether they share their processors."""
        if self.devices == 1:
            return
        yield f"{self.devices} processes train together: operations and time are those of all, memory is that of each."
        asked, there = self.devices * self.threads, os.cpu_count() or 1
        if self.accelerator == "cpu" and asked > there:
            yield f"{self.devices} devices of {self.threads} threads share {there} processors: fewer would be as fast."

    def _why_no_fsdp(self) -> tuple[str, str]:
        """What was given, and what would be right: models that are trained to be audited fit on each device."""
        if self.accelerator != "gpu":
            given = f"fsdp was given with trainer.accelerator={self.accelerator}, and it needs a GPU"
            return given, "ddp; beside that, tied tables would have to be wrapped together or be untied"
        given = (
            "fsdp was given, whose ranks hold a part of each table, and certificates, audits and probes read whole ones"
        )
        return given, "ddp, which keeps tied tables one; each device has the whole model"

    def _budget_problems(self) -> Iterator[Problem]:
        chosen = [budget for budget in BUDGETS if getattr(self, budget) is not None]
        if len(chosen) != 1:
            given = " and ".join(f"{budget}={getattr(self, budget)}" for budget in chosen) or "no budget"
            right = "exactly one of trainer.max_steps, trainer.max_tokens, trainer.max_epochs; set the others to null"
            yield Problem("trainer", f"{given} was given", right)
