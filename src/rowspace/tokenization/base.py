"""The tokenizer contract: tau, frozen after fit, with byte accounting and a hash."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.registry import Option


@dataclass(frozen=True, eq=False)
class Encoded:
    """Documents as flat arrays.

    `ids` (N,) int32; `token_bytes` (N,) int32, bytes of the source that each token stands for; `offsets` (D + 1,)
    int64, document i is `ids[offsets[i]:offsets[i + 1]]`. No special token is added.
    """

    ids: np.ndarray
    token_bytes: np.ndarray
    offsets: np.ndarray


class Tokenizer(ABC):
    """A frozen map from text to ids and back.

    `token_bytes` add up to `len(text.encode())` wherever decode(encode(text)) == text. Text that looks like a
    special token (`<eos>` typed by a user) is text: encode never yields a special id.
    """

    name: str
    """The option's name: word, char, byte, bpe, wordpiece, unigram."""
    vocabulary: Sequence[str]
    """V pieces by id, as people read them (bytes mapped back to text where they form text)."""
    special: Mapping[str, int]
    """Special tokens by name; `<eos>` always."""
    sha256: str
    """Of the artifact."""

    @property
    def vocab_size(self) -> int:
        """V obtained, special tokens included."""
        return len(self.vocabulary)

    @property
    def eos_id(self) -> int:
        return self.special["<eos>"]

    @abstractmethod
    def encode(self, text: str) -> list[int]: ...

    @abstractmethod
    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]: ...

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids; special ids stand for nothing. A partial UTF-8 sequence decodes to U+FFFD."""

    @abstractmethod
    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """Bytes of the ids, exact where the tokenizer is byte-level; else `decode(ids).encode()`."""

    @abstractmethod
    def token_bytes(self, ids: Sequence[int], text: str) -> list[int]: ...

    @abstractmethod
    def encode_documents(self, documents: Sequence[bytes]) -> Encoded:
        """Many documents at once, fast. ConfigError names the first document that is not UTF-8 (byte takes any)."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write `tokenizer.json` (what the `tokenizers` library loads) and what else makes the load bit-identical."""


class TokenizerOption(Option):
    """A kind of tokenizer and its settings."""

    name: str

    @abstractmethod
    def fit(self, texts: Iterable[str], **context: Any) -> Tokenizer:
        """Fit on the training split. ConfigError when the corpus cannot give V, with the largest that it can give."""
