"""AdamW: Adam with weight decay taken from the weights, not the gradient (Loshchilov & Hutter 2019).

Fused: one pass over the parameters a step. A row of E that a batch lacks still moves, by momentum and by decay.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rowspace.registry import register
from rowspace.training.base import OptimizerOption


@register("optimizer")
class AdamW(OptimizerOption):
    """The common choice."""

    name: Literal["adamw"]
    beta1: float = Field(ge=0, lt=1)
    """Memory of the gradient's mean."""
    beta2: float = Field(ge=0, lt=1)
    """Memory of the gradient's mean square."""
    eps: float = Field(gt=0)
    """Added to the root of the mean square."""

    @property
    def kept_per_parameter(self) -> int:
        """Two moments."""
        return 2

    def build(self, groups: list[dict[str, Any]]) -> Any:
        """torch.optim.AdamW over the groups."""
        from torch import optim

        return optim.AdamW(
            groups, lr=self.lr, betas=(self.beta1, self.beta2), eps=self.eps, weight_decay=0.0, fused=True
        )
