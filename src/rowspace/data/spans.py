"""How many tokens and spans a window hides: plain arithmetic, so that a configuration can be refused without torch."""

from __future__ import annotations

from typing import NamedTuple


class SpanCounts(NamedTuple):
    """What is hidden in a window of `n` tokens: `hidden` tokens in `spans` spans. The same for all windows of a length,
    so that a batch needs no padding."""

    n: int
    hidden: int
    spans: int

    @classmethod
    def of(cls, n: int, density: float, mean_span: float) -> SpanCounts:
        """density * n tokens, at least one; as many spans as make their mean length mean_span, with at least one token
        between two."""
        hidden = min(max(round(n * density), 1), n)
        spans = min(max(round(hidden / mean_span), 1), hidden, n - hidden + 1)
        return cls(n, hidden, spans)

    @property
    def source(self) -> int:
        """Tokens that the encoder reads: a sentinel stands for each span."""
        return self.n - self.hidden + self.spans

    @property
    def target(self) -> int:
        """Tokens that the decoder writes: each span behind its sentinel, and the end."""
        return self.hidden + self.spans + 1


def sentinels(spans: int) -> list[str]:
    """The special tokens that stand for spans, in order of appearance."""
    return [f"<span_{index}>" for index in range(spans)]
