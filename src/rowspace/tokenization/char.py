"""char: every character (code point) is a token; one that the vocabulary lacks falls back to its UTF-8 bytes.

The 256 byte ids close it: no UNK, every text comes back. Characters are ordered by count, then by code point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from rowspace.registry import register
from rowspace.tokenization.base import Tokenizer, TokenizerOption


@register("tokenizer")
class CharOption(TokenizerOption):
    """256 byte ids and the most frequent characters; vocab_size null takes every character of the training text."""

    name: Literal["char"]

    def smallest(self) -> int:
        return 256 + len(self.special_tokens)

    def fit(self, texts: Iterable[str], **context: Any) -> Tokenizer:
        self.check()
        from rowspace.tokenization.alphabets import char_tokenizer

        return char_tokenizer(self, texts)

    def trace(self, texts: Sequence[str], tokenizer: Tokenizer, steps: int, **context: Any) -> list[dict[str, Any]]:
        from rowspace.tokenization.trace import most_frequent

        return most_frequent(tokenizer, texts, steps)
