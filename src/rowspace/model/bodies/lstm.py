"""Long short-term memory: a recurrent net with a cell behind gates (Hochreiter & Schmidhuber 1997; Gers et al. 2000).

i, f, o = sigmoid(...), g = tanh(...) of x_t and h_(t-1);  c_t = f c_(t-1) + i g;  h_t = o tanh(c_t). Along c the past
is multiplied by f and by nothing else, so that its gradient lives as long as the gate stays open.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from rowspace.model.base import BodyOption
from rowspace.registry import register


@register("body")
class LSTM(BodyOption):
    """Position t sees positions 0..t through a state and a cell of width d a layer. Order needs no position scheme."""

    name: Literal["lstm"]
    attends: ClassVar[bool] = False
    sees: ClassVar[Literal["past"]] = "past"
    norm: Literal["rmsnorm", "layernorm"]
    """Normalization of what each layer reads, and at the end."""
    forget_bias: float = Field(ge=-10, le=10)
    """Bias of the forget gate at the start; 1 opens it (Jozefowicz et al. 2015)."""

    def build(self, *, model: Any, generator: Any) -> Any:
        """`model.layers` layers of width `model.d`."""
        from rowspace.model.recurrence import lstm

        sizes = {"d": model.d, "layers": model.layers, "dropout": model.dropout}
        return lstm(**sizes, norm=self.norm, forget_bias=self.forget_bias, generator=generator)
