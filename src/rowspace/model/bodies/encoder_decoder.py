"""Encoder-decoder (Vaswani et al. 2017) trained on span corruption (T5, Raffel et al. 2020).

The encoder reads a window in which each span of hidden tokens is one sentinel <span_i>; the decoder writes each
sentinel and what it stands for, then <eos>. `model.layers` blocks on each side, one table E for both. Cross-attention
knows no positions: source and target are two texts, and a distance between them means nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from pydantic import Field

from rowspace.data.spans import SpanCounts, sentinels
from rowspace.errors import Problem
from rowspace.model.bodies.base import TransformerOption, lacking
from rowspace.registry import register


@register("body")
class EncoderDecoder(TransformerOption):
    """A target position sees the whole source and the target up to itself."""

    name: Literal["encoder_decoder"]
    sees: ClassVar[Literal["source and past"]] = "source and past"
    continues: ClassVar[bool] = False
    noise_density: float = Field(gt=0, lt=1)
    """Share of a window's tokens that are hidden."""
    mean_span: float = Field(ge=1)
    """Tokens in a hidden span, on average."""

    def problems(self, run: Any) -> Iterable[Problem]:
        """Sentinels must exist, the target must fit, and a window must be one text."""
        yield from super().problems(run)
        if run.model is not None:
            counts = self.counts(run.model.n_ctx)
            spans = "1 span" if counts.spans == 1 else f"{counts.spans} spans"
            what = f"body=encoder_decoder hides {spans} in a window of {run.model.n_ctx} tokens"
            yield from lacking(run, sentinels(counts.spans), what)
            if counts.target > run.model.n_ctx:
                given = f"{run.model.n_ctx} tokens hide {counts.hidden} in {spans}"
                right = f"the decoder writes {counts.target} tokens: less body.noise_density, or a longer window"
                yield Problem("model.n_ctx", given, right)
        if run.data is not None and run.data.documents == "isolated":
            right = "packed: body=encoder_decoder hides spans in whole windows, across the ends of documents"
            yield Problem("data.documents", "isolated was given", right)

    def counts(self, n: int) -> SpanCounts:
        """What is hidden in a window of n tokens."""
        return SpanCounts.of(n, self.noise_density, self.mean_span)

    def lengths(self, n_ctx: int) -> tuple[int, int]:
        """The target and the source that a window becomes."""
        counts = self.counts(n_ctx)
        return counts.target, counts.source

    def objective(self, tokenizer: Any, n_ctx: int) -> Any:
        """Hidden spans from the rest of the window and from the spans before."""
        from rowspace.data.span_corruption import SpanCorruption

        return SpanCorruption(tokenizer, counts=self.counts)

    def build(self, *, model: Any, generator: Any) -> Any:
        """Encoder and decoder for the sizes in `model`."""
        from rowspace.model.encoder_decoder import EncoderDecoder as Module

        return Module(**self.settings(model=model, generator=generator))
