"""Decoder: L pre-norm blocks of causal attention and a feed-forward net (Radford et al. 2019; Xiong et al. 2020)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from rowspace.model.bodies.base import TransformerOption
from rowspace.registry import register


@register("body")
class Decoder(TransformerOption):
    """Position t sees positions 0..t only, and predicts the next token."""

    name: Literal["decoder"]
    sees: ClassVar[Literal["past"]] = "past"

    def build(self, *, model: Any, generator: Any) -> Any:
        """The decoder for the sizes in `model`."""
        from rowspace.model.body import Transformer

        return Transformer(causal=True, **self.settings(model=model, generator=generator))
