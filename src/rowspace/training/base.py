"""What the training options declare. Imports no torch: objects are built inside `build`."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from rowspace.registry import Option


class OptimizerOption(Option):
    """How gradients become updates."""

    name: str

    @abstractmethod
    def build(self, groups: list[dict[str, Any]]) -> Any:
        """The torch optimizer over named parameter groups (see `rowspace.training.optimizer`)."""


class ScheduleOption(Option):
    """Learning rate over the run, as a factor of the optimizer's own."""

    name: str

    @abstractmethod
    def factor(self, step: int, total_steps: int) -> float:
        """Factor at 0-based `step` of `total_steps`; plain arithmetic."""


class TrainerOption(Option):
    """Budget, batches, cadence and machine."""

    name: str


class LoggerOption(Option):
    """Where a run is logged beside its own folder."""

    name: str
