"""No body: the final state is the normalized row itself, and the model is a factorized bigram table.

With d >= V and an untied head any table of next-token probabilities can be represented, so that training reaches the
empirical bigram entropy; tied, only reversible ones can (E E^T is symmetric).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from rowspace.model.base import BodyOption
from rowspace.registry import register


@register("body")
class NoBody(BodyOption):
    """Embedding and head alone; a position scheme that acts inside attention has nothing to act on."""

    name: Literal["none"]
    attends: ClassVar[bool] = False
    sees: ClassVar[Literal["past"]] = "past"
    alone: ClassVar[bool] = True
    norm: Literal["rmsnorm", "layernorm"]
    """Normalization of the state that the head reads."""

    def remarks(self, run: Any, steps: int) -> Iterator[str]:
        """What a tied head cannot learn without a body."""
        if run.head.tie:
            yield (
                "body=none with head.tie=true scores pairs of tokens with E E^T, which is symmetric: that b follows a "
                "and a does not follow b cannot be learned. head.tie=false reaches the bigram entropy."
            )

    def build(self, *, model: Any, generator: Any) -> Any:
        """The body for width `model.d`."""
        from rowspace.model.body import NoBody as Module
        from rowspace.model.norm import NORMS

        return Module(norm=NORMS[self.norm](model.d), dropout=model.dropout)
