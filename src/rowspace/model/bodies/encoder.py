"""Encoder: the decoder's blocks without the causal mask, trained on hidden tokens (BERT, Devlin et al. 2019).

A share of the tokens of each window is chosen; of these most are replaced by <mask>, some by a random token, and the
rest stay, and the model says what stood at each chosen place. No text has a probability under it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from pydantic import Field

from rowspace.errors import Problem
from rowspace.model.bodies.base import TransformerOption, lacking
from rowspace.registry import register

MASK = "<mask>"


@register("body")
class Encoder(TransformerOption):
    """Every position sees the whole window, and the chosen ones are predicted."""

    name: Literal["encoder"]
    sees: ClassVar[Literal["all"]] = "all"
    continues: ClassVar[bool] = False
    chosen: float = Field(gt=0, le=1)
    """Share of a window's tokens that are predicted; at least one token a window."""
    masked: float = Field(ge=0, le=1)
    """Share of the chosen that become <mask>."""
    random: float = Field(ge=0, le=1)
    """Share of the chosen that become a random token that stands for text; the rest stay as they are."""

    def problems(self, run: Any) -> Iterable[Problem]:
        """A mask token must exist, and the shares must not exceed the whole."""
        yield from super().problems(run)
        yield from lacking(run, [MASK], "body=encoder reads it where a token is hidden")
        if self.masked + self.random > 1 + 1e-9:
            given = f"{self.random} and body.masked={self.masked} are more than all chosen tokens"
            yield Problem("body.random", given, f"at most {1 - self.masked:.6g}")

    def objective(self, tokenizer: Any, n_ctx: int) -> Any:
        """Chosen tokens from both sides."""
        from rowspace.data.masked import Masked

        return Masked(tokenizer, chosen=self.chosen, masked=self.masked, random=self.random)

    def build(self, *, model: Any, generator: Any) -> Any:
        """The encoder for the sizes in `model`."""
        from rowspace.model.body import Transformer

        return Transformer(causal=False, **self.settings(model=model, generator=generator))
