"""byte: every byte of the UTF-8 text is a token.

V = 256 + special tokens, nothing is learned and nothing can be missing: the only tokenizer that also takes bytes
that are no UTF-8 (`encode_bytes`, `encode_documents`). Sequences are as long as the text.
Source: Xue et al. 2022, ByT5 (https://arxiv.org/abs/2105.13626).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

from rowspace.errors import Problem
from rowspace.registry import register
from rowspace.tokenization.base import Tokenizer, TokenizerOption


@register("tokenizer")
class ByteOption(TokenizerOption):
    """256 byte ids."""

    name: Literal["byte"]

    takes_any_bytes: ClassVar[bool] = True
    one_size: ClassVar[bool] = True

    def smallest(self) -> int:
        return 256 + len(self.special_tokens)

    def problems(self, run: Any) -> Iterable[Problem]:
        if self.vocab_size not in (None, self.smallest()):
            right = f"null or {self.smallest()}: 256 bytes and the special tokens are all that there is"
            yield Problem("tokenizer.vocab_size", f"{self.vocab_size} was given", right)

    def fit(self, texts: Iterable[str] = (), **context: Any) -> Tokenizer:
        self.check()
        from rowspace.tokenization.alphabets import byte_tokenizer

        return byte_tokenizer(self)
