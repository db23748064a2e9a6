"""What the three transformers share: the blocks' settings. Imports no torch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from rowspace.errors import Problem
from rowspace.model.base import BodyOption


class TransformerOption(BodyOption):
    """L pre-norm blocks: h <- h + attention(norm(h)); h <- h + feedforward(norm(h)); at the end norm(h_L).

    Weights start at N(0, init_std^2), those that write into the residual stream at init_std / sqrt(sublayers).
    """

    attends: ClassVar[bool] = True
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

    def settings(self, *, model: Any, generator: Any) -> dict[str, Any]:
        """Sizes and settings of a stack of blocks, as `rowspace.model.body.Transformer` takes them."""
        return {
            "d": model.d,
            "layers": model.layers,
            "heads": model.heads,
            "dropout": model.dropout,
            "norm": self.norm,
            "feedforward": self.feedforward,
            "expansion": self.expansion,
            "bias": self.bias,
            "init_std": self.init_std,
            "generator": generator,
        }


def lacking(run: Any, needed: Sequence[str], what: str) -> Iterable[Problem]:
    """A problem where the tokenizer lacks special tokens that `what` needs, with the words that add them."""
    tokenizer = run.tokenizer
    if tokenizer is None:
        return
    missing = [name for name in needed if name not in tokenizer.special_tokens]
    if missing:
        listed = ",".join(f'"{name}"' for name in [*tokenizer.special_tokens, *missing])
        lacks = missing[0] if len(missing) == 1 else f"{missing[0]} ... {missing[-1]}"
        given = f"[{', '.join(tokenizer.special_tokens)}] has no {lacks}"
        yield Problem("tokenizer.special_tokens", given, f"{what}: add 'tokenizer.special_tokens=[{listed}]'")
