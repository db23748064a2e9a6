"""bpe: byte-level byte-pair encoding: start from 256 bytes, merge the most frequent adjacent pair until there are V.

No prefix space is added and the alphabet holds all 256 bytes, so the tokenizer is closed. Equal counts are decided
by the smaller pair of ids. The tokenizer at a smaller V is the exact prefix of a larger one (merges, pieces, ids).
Source: Sennrich et al. 2016 (https://arxiv.org/abs/1508.07909); byte-level: Radford et al. 2019 (GPT-2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import Field

from rowspace.errors import Problem
from rowspace.registry import register
from rowspace.tokenization.base import Tokenizer, TokenizerOption


@register("tokenizer")
class BpeOption(TokenizerOption):
    """Merges learned by the `tokenizers` library."""

    name: Literal["bpe"]
    vocab_size: int = Field(ge=2, le=2**31 - 1)
    """V, the special tokens and 256 bytes included."""
    truncate_from: int | None = Field(ge=2)
    """Learn (and cache) the merges at this larger V, then cut at vocab_size: the same tokenizer, learned once."""
    digits: Literal["none", "single", "threes"]
    """How numbers are cut before merging: not at all, into single digits, or into groups of three from the right."""
    whitespace: Literal["attached", "apart"]
    """attached: a single space belongs to the word after it (GPT-2); apart: whitespace has pieces of its own."""

    def smallest(self) -> int:
        return 256 + len(self.special_tokens)

    def problems(self, run: Any) -> Iterable[Problem]:
        yield from super().problems(run)
        if self.truncate_from is not None and self.truncate_from < self.vocab_size:
            right = f"null, or at least vocab_size ({self.vocab_size})"
            yield Problem("tokenizer.truncate_from", f"{self.truncate_from} was given", right)

    def larger(self) -> BpeOption | None:
        if self.truncate_from is None:
            return None
        return self.model_copy(update={"vocab_size": self.truncate_from, "truncate_from": None})

    def without_size(self) -> dict[str, Any]:
        return self.model_dump(exclude={"vocab_size", "truncate_from"})

    def cut(self, tokenizer: Tokenizer) -> Tokenizer:
        from rowspace.tokenization.merges import truncated

        return truncated(tokenizer, self.vocab_size)

    def fit(self, texts: Iterable[str], **context: Any) -> Tokenizer:
        self.check()
        if (larger := self.larger()) is not None:
            return self.cut(larger.fit(texts, **context))
        from rowspace.tokenization.merges import bpe_tokenizer

        return bpe_tokenizer(self, texts)

    def trace(self, texts: Sequence[str], tokenizer: Tokenizer, steps: int, **context: Any) -> list[dict[str, Any]]:
        from rowspace.tokenization.trace import bpe_steps

        return bpe_steps(self, texts, steps, context.get("progress"))
