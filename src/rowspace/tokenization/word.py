"""word: whole words, each with one id wherever it stands; anything outside the vocabulary is UNK.

The text is cut into runs of word characters and the gaps between them (", ", ": ", " ("). A gap of exactly one
space between two words gets no token: decode puts it back, so `king` has one row and not two. Every other gap is
a token. So the text comes back byte for byte unless a word or a gap is UNK: the tokenizer is OPEN, and says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import Field

from rowspace.registry import register
from rowspace.tokenization.base import Tokenizer, TokenizerOption


@register("tokenizer")
class WordOption(TokenizerOption):
    """The V - 1 - specials most frequent words and gaps, and `<unk>`."""

    name: Literal["word"]
    vocab_size: int = Field(ge=2, le=2**31 - 1)
    """V, special tokens and `<unk>` included."""
    digits: Literal["none", "single", "threes"]
    """How numbers are cut: not at all, into single digits, or into groups of three from the right."""
    whitespace: Literal["kept", "dropped"]
    """kept: decode restores it; dropped: forgotten, and decode joins tokens with one space."""
    lowercase: bool
    """Lower-case the text first. The case is lost: bits per byte are then not printed."""

    def smallest(self) -> int:
        return len(self.special_tokens) + 2

    def fit(self, texts: Iterable[str], **context: Any) -> Tokenizer:
        self.check()
        from rowspace.tokenization.words import word_tokenizer

        return word_tokenizer(self, texts)

    def trace(self, texts: Sequence[str], tokenizer: Tokenizer, steps: int, **context: Any) -> list[dict[str, Any]]:
        from rowspace.tokenization.trace import most_frequent

        return most_frequent(tokenizer, texts, steps)
