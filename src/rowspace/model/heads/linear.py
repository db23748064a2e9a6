"""Linear head: logits = c h U^T + b. Tied, U is E itself, one tensor (Press & Wolf 2017; Inan et al. 2017).

Untied, U starts as normal rows with the mean square norm of E's rows, so that tying changes sharing and nothing else.
`logit_scale: auto` is the largest c <= 1 for which no first logit exceeds ln(V / 20): final states have norm sqrt(d),
so a row u reaches at most c |u| sqrt(d), and a tied row meets itself in h. With c = 1 a tied N(0, 1) table starts at 41
nats instead of 8.3 (V = 4096, d = 128).

A bias that starts at the logarithm of the unigram frequencies spares the model learning them: the first loss is near
the unigram entropy instead of ln V. Sentinels that an objective makes targets have their frequency too.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from rowspace.model.base import HeadOption
from rowspace.registry import register


@register("head")
class Linear(HeadOption):
    """One row of U a token."""

    name: Literal["linear"]
    tie: bool
    """U is E, one tensor: V d parameters fewer, and every row of E also gets the output side's gradient."""
    bias: Literal["none", "zero", "log_unigram"]
    """A learned b, one number a token: none, or one that starts at zero or at log_unigram, the logarithm of each
    token's share of the training text."""
    logit_scale: Literal["auto"] | Annotated[float, Field(gt=0)]
    """Constant c on the logits: auto, or a number."""

    def build(self, *, embedding: Any, generator: Any) -> Any:
        """The head over `embedding`."""
        from rowspace.model.head import Head
        from rowspace.model.initialization import deviation, first_logit_scale, normal

        V, d = embedding.weight.shape
        weight = embedding.weight
        if not self.tie:
            weight = normal(V, d, std=deviation(weight.detach()), generator=generator)
        scale = first_logit_scale(weight.detach()) if self.logit_scale == "auto" else float(self.logit_scale)
        return Head(weight=weight, bias=self.bias != "none", logit_scale=scale)

    def start(self, head: Any, counts: Any) -> None:
        """Put b at the logarithm of the token frequencies, where that is asked."""
        if self.bias == "log_unigram":
            head.start_bias(counts)
