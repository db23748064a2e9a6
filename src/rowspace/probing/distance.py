"""How far back does a state look? The gradient of a state with respect to an input k tokens before it, against k.

||d(v . h_t) / d(h0_{t-k})|| for random v ~ N(0, I), whose mean square is the squared Frobenius norm of the Jacobian:
how much the state at t moves when the input k tokens earlier does. In a recurrent body it is a product of k factors and
tends to vanish (Bengio et al. 1994); attention reaches every position in one step. Measures influence, not use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from rowspace.answers import Findings
from rowspace.probing.base import Needs, ProbeOption, Progress, Subject
from rowspace.registry import register


@register("probe")
class Distance(ProbeOption):
    """How far back does a state look? Gradient norm against distance, beside the same body before training."""

    needs: ClassVar[Needs] = "text"
    name: Literal["distance"]
    length: int | None = Field(ge=2)
    """Tokens in a text; null: the trained length (model.n_ctx)."""
    texts: int = Field(ge=1, le=1000)
    """Texts, cut evenly from the split."""
    draws: int = Field(ge=1, le=1000)
    """Random directions v for each text."""
    split: Literal["val", "test"]
    """Which text."""

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """Rows by run and distance: median and quartiles over texts and directions, trained and at the start."""
        from rowspace.probing.distances import measure

        return measure(self, subjects, progress)
