"""Decoder: L pre-norm blocks of causal attention and a feed-forward net (Radford et al. 2019; Xiong et al. 2020).

h <- h + attention(norm(h));  h <- h + feedforward(norm(h));  at the end norm(h_L). Weights start at N(0, init_std^2),
those that write into the residual stream at init_std / sqrt(2 L).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from pydantic import Field

from rowspace.errors import Problem
from rowspace.model.base import BodyOption
from rowspace.registry import register


@register("body")
class Decoder(BodyOption):
    """Position t sees positions 0..t only."""

    name: Literal["decoder"]
    attends: ClassVar[bool] = True
    sees: ClassVar[Literal["past"]] = "past"
    norm: Literal["rmsnorm", "layernorm"]
    """Normalization before each sublayer and at the end."""
    feedforward: Literal["gelu", "swiglu"]
    """gelu: two matrices (Hendrycks & Gimpel 2016); swiglu: three, of two thirds the width (Shazeer 2020)."""
    expansion: float = Field(gt=0, le=64)
    """Hidden width of the feed-forward net over d (swiglu: two thirds of it, at equal parameters)."""
    bias: bool
    """Biases in the linear maps of the blocks."""
    init_std: float = Field(gt=0)
    """Standard deviation of the linear maps at the start."""

    def problems(self, run: Any) -> Iterable[Problem]:
        """d must be a multiple of the number of heads."""
        model = run.model
        if model is not None and model.d % model.heads:
            lower = model.d - model.d % model.heads
            near = [str(d) for d in (lower, lower + model.heads) if d]
            right = f"a multiple of it ({' or '.join(near)}), or model.heads that divides {model.d}"
            yield Problem("model.d", f"{model.d} is not divisible by model.heads={model.heads}", right)

    def build(self, *, model: Any, generator: Any) -> Any:
        """The decoder for the sizes in `model`."""
        from rowspace.model.body import Transformer

        return Transformer(
            causal=True,
            d=model.d,
            layers=model.layers,
            heads=model.heads,
            dropout=model.dropout,
            norm=self.norm,
            feedforward=self.feedforward,
            expansion=self.expansion,
            bias=self.bias,
            init_std=self.init_std,
            generator=generator,
        )
