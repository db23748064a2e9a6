"""unigram: a large set of pieces, pruned by how little the likelihood of the text loses; encode takes the best path.

Byte-level, so it is closed: `sentencepiece` is trained (one thread: its result depends on the number) on words
whose bytes are mapped to 256 letters, with their counts; bytes that the text lacks are added; the pieces and scores
become a Unigram model of the `tokenizers` library. sentencepiece's own byte fallback is neither closed nor countable.
Source: Kudo 2018 (https://arxiv.org/abs/1804.10959).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import Field

from rowspace.registry import register
from rowspace.tokenization.base import Tokenizer, TokenizerOption


@register("tokenizer")
class UnigramOption(TokenizerOption):
    """Pieces of at most 16 bytes with log probabilities."""

    name: Literal["unigram"]
    vocab_size: int = Field(ge=2, le=2**31 - 1)
    """V, the special tokens and 256 bytes included."""
    digits: Literal["none", "single", "threes"]
    """How numbers are cut before training: not at all, into single digits, or into groups of three from the right."""
    whitespace: Literal["attached", "apart"]
    """attached: a single space belongs to the word after it; apart: whitespace has pieces of its own."""

    def smallest(self) -> int:
        return 256 + len(self.special_tokens)

    def fit(self, texts: Iterable[str], **context: Any) -> Tokenizer:
        self.check()
        from rowspace.tokenization.pruning import unigram_tokenizer

        return unigram_tokenizer(self, texts, progress=context.get("progress"))

    def trace(self, texts: Sequence[str], tokenizer: Tokenizer, steps: int, **context: Any) -> list[dict[str, Any]]:
        from rowspace.tokenization.trace import unigram_steps

        return unigram_steps(self, texts, tokenizer, steps, context.get("progress"))
