"""What the training options declare. Imports no torch: objects are built inside `build`."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from pydantic import Field

from rowspace.registry import Option


class OptimizerOption(Option):
    """How gradients become updates."""

    name: str
    lr: float = Field(gt=0)
    """Learning rate; the schedule multiplies it."""
    weight_decay: float = Field(ge=0)
    """Decay of the matrices (decoupled from the gradient where the optimizer says so)."""
    decay_embedding: bool
    """E takes part in weight decay (tied: U with it). Under decay every row moves at every step, seen or not."""

    @abstractmethod
    def build(self, groups: list[dict[str, Any]]) -> Any:
        """The torch optimizer over named parameter groups (see `rowspace.training.optimizer`)."""


class ScheduleOption(Option):
    """Learning rate over the run, as a factor of the optimizer's own."""

    name: str
    warmup_steps: int = Field(ge=0)
    """Steps over which the rate rises linearly to its full value; scaled down where the budget is not longer."""

    def warmup(self, total_steps: int) -> int:
        """Steps of warm-up that really happen: those asked, or a tenth of a budget that is not longer than them."""
        return self.warmup_steps if self.warmup_steps < total_steps else total_steps // 10

    def notes(self, total_steps: int) -> list[str]:
        """Sentences to tell the user before the run starts."""
        real = self.warmup(total_steps)
        if real == self.warmup_steps:
            return []
        return [f"Warm-up scaled from {self.warmup_steps} to {real} steps: the whole run has {total_steps}."]

    def factor(self, step: int, total_steps: int) -> float:
        """Factor at 0-based `step` of `total_steps`; plain arithmetic. The rise to 1 first, then `after_warmup`."""
        warmup = self.warmup(total_steps)
        if step < warmup:
            return (step + 1) / (warmup + 1)
        return self.after_warmup(step - warmup, max(total_steps - warmup, 1))

    @abstractmethod
    def after_warmup(self, step: int, total_steps: int) -> float:
        """Factor at 0-based `step` of the `total_steps` that follow the warm-up."""


class TrainerOption(Option):
    """Budget, batches, cadence and machine."""

    name: str


class LoggerOption(Option):
    """Where a run is logged beside its own folder."""

    name: str
