"""Sizes of a transformer: d, L, H, n_ctx and dropout. Which parts use them is each part's own affair."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rowspace.model.base import ModelOption
from rowspace.registry import register


@register("model")
class Transformer(ModelOption):
    """The numbers that embedding, position, body and head share."""

    name: Literal["transformer"]
    d: int = Field(ge=1, le=65536)
    """Width of E, of every state and of U."""
    layers: int = Field(ge=1, le=1024)
    """L, blocks of the body."""
    heads: int = Field(ge=1, le=1024)
    """H, attention heads; d_head = d / H."""
    n_ctx: int = Field(ge=2, le=2**20)
    """T, tokens in a window."""
    dropout: float = Field(ge=0, lt=1)
    """Share of entries dropped on the input and after each sublayer while training."""

    @property
    def d_head(self) -> int:
        """Width of one attention head."""
        return self.d // self.heads
