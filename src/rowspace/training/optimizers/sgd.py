"""Stochastic gradient descent: w <- w - lr (g + decay w), with momentum if asked.

Without momentum and decay only the rows of E that a batch holds move (tied, all of them do).
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rowspace.registry import register
from rowspace.training.base import OptimizerOption


@register("optimizer")
class SGD(OptimizerOption):
    """The plain step of the textbook."""

    name: Literal["sgd"]
    momentum: float = Field(ge=0, lt=1)
    """Memory of past gradients; 0 is none."""

    @property
    def kept_per_parameter(self) -> int:
        """One velocity, with momentum."""
        return int(self.momentum > 0)

    def build(self, groups: list[dict[str, Any]]) -> Any:
        """torch.optim.SGD over the groups."""
        from torch import optim

        return optim.SGD(groups, lr=self.lr, momentum=self.momentum, weight_decay=0.0, fused=True)
