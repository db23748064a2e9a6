"""SparseAdam for E, AdamW for the rest: a row of E moves only at the steps whose batch holds its token.

Not AdamW with less work, but another algorithm. A row that the batch lacks has no momentum and no decay: it stays as it
is, and its two moments wait for the token's next occurrence. The correction of the moments' start counts all steps and
not the row's own: where AdamW's first step is lr, that of a token first met late is lr (1 - beta1) / sqrt(1 - beta2),
0.45 lr with the usual values. The gradient of E has the rows of the batch alone, so that neither it nor the update
costs V d. Untied heads only: a tied table gets a gradient of every row from the output side. torch.optim.SparseAdam
and torch.optim.AdamW take the steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from pydantic import Field

from rowspace.errors import Problem
from rowspace.registry import register
from rowspace.training.base import OptimizerOption


@register("optimizer")
class SparseAdam(OptimizerOption):
    """Rows of E that a batch lacks do not move: no momentum, no decay for them."""

    name: Literal["sparse_adam"]
    sparse_embedding: ClassVar[bool] = True
    beta1: float = Field(ge=0, lt=1)
    """Memory of the gradient's mean."""
    beta2: float = Field(ge=0, lt=1)
    """Memory of the gradient's mean square."""
    eps: float = Field(gt=0)
    """Added to the root of the mean square."""

    def problems(self, run: Any) -> Iterator[Problem]:
        """A tied head, whose gradient has every row; decay of E, which would move every row."""
        if run.head is not None and run.head.tie:
            given = "true was given with optimizer=sparse_adam, and a tied table gets a gradient of every row"
            yield Problem("head.tie", given, "head.tie=false, or optimizer=adamw")
        if self.decay_embedding:
            given = "true was given, and sparse_adam leaves the rows alone that a batch lacks"
            yield Problem("optimizer.decay_embedding", given, "false, or optimizer=adamw")

    @property
    def kept_per_parameter(self) -> int:
        """Two moments."""
        return 2

    def build(self, groups: list[dict[str, Any]]) -> Any:
        """SparseAdam over the group of E, AdamW over the others, as one torch optimizer."""
        from rowspace.training.sparse import SparseAdamW

        return SparseAdamW(groups, lr=self.lr, betas=(self.beta1, self.beta2), eps=self.eps)
