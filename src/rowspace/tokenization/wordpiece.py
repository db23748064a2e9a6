"""wordpiece: pieces inside words, "##" marks those that continue one; greedy longest match; else the word is UNK.

frequency merges the most frequent pair, which is what the `tokenizers` library calls WordPiece (BPE with "##");
likelihood merges the pair ab with the largest freq(ab) / (freq(a) freq(b)), which is WordPiece as it is taught.
A character that the training text lacks makes its whole word UNK: the tokenizer is OPEN, and says why. Gaps
between words are treated as in `word`. Sources: Schuster & Nakajima 2012; Devlin et al. 2019 (BERT).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import Field

from rowspace.registry import register
from rowspace.tokenization.base import Tokenizer, TokenizerOption


@register("tokenizer")
class WordpieceOption(TokenizerOption):
    """Pieces by merging, ids in canonical order."""

    name: Literal["wordpiece"]
    vocab_size: int = Field(ge=2, le=2**31 - 1)
    """V, special tokens, `<unk>` and the alphabet included."""
    trainer: Literal["frequency", "likelihood"]
    """Which pair is merged next: the most frequent, or the one that raises the likelihood most."""
    min_frequency: int = Field(ge=1)
    """Pairs seen less often are never merged. Likelihood without it joins letters that occur once."""
    digits: Literal["none", "single", "threes"]
    """How numbers are cut before merging: not at all, into single digits, or into groups of three from the right."""
    whitespace: Literal["kept", "dropped"]
    """kept: decode restores it; dropped: forgotten, and decode joins words with one space (BERT)."""
    lowercase: bool
    """Lower-case the text first. The case is lost: bits per byte are then not printed."""

    def smallest(self) -> int:
        return len(self.special_tokens) + 2

    def fit(self, texts: Iterable[str], **context: Any) -> Tokenizer:
        self.check()
        from rowspace.tokenization.words import wordpiece_tokenizer

        return wordpiece_tokenizer(self, texts, progress=context.get("progress"))

    def trace(self, texts: Sequence[str], tokenizer: Tokenizer, steps: int, **context: Any) -> list[dict[str, Any]]:
        from rowspace.tokenization.trace import wordpiece_steps

        return wordpiece_steps(self, texts, steps, context.get("progress"))
