"""Recurrent net: one state a layer, rewritten at each token (Elman 1990).

h_t = tanh(W x_t + U h_(t-1) + b), x the normalized states of the layer below. The past reaches a position through as
many products with U as there are steps between, so that its gradient fades or grows with distance (Bengio et al. 1994).
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from rowspace.model.base import BodyOption
from rowspace.registry import register


@register("body")
class RNN(BodyOption):
    """Position t sees positions 0..t through one state of width d a layer. Order needs no position scheme."""

    name: Literal["rnn"]
    attends: ClassVar[bool] = False
    sees: ClassVar[Literal["past"]] = "past"
    norm: Literal["rmsnorm", "layernorm"]
    """Normalization of what each layer reads, and at the end."""

    def build(self, *, model: Any, generator: Any) -> Any:
        """`model.layers` layers of width `model.d`."""
        from rowspace.model.recurrence import rnn

        sizes = {"d": model.d, "layers": model.layers, "dropout": model.dropout}
        return rnn(**sizes, norm=self.norm, generator=generator)
