"""The tokenizer contract: tau, frozen after fit, with byte accounting and a hash."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, field_validator

from rowspace.errors import ConfigError, Problem
from rowspace.registry import Option

if TYPE_CHECKING:
    import numpy as np

EOS = "<eos>"
UNK = "<unk>"
_SPECIAL = re.compile(r"<[|_-]*[a-z0-9][a-z0-9_|-]*>")
"""A mark, a letter or digit, a mark: no pre-tokenizer leaves that in one word, so no text can be merged into it."""


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
    about: Mapping[str, Any]
    """What was asked and what was really run: vocab_size asked, algorithm, library and its version."""
    takes_any_bytes: ClassVar[bool] = False
    """Documents need not be UTF-8."""
    unk_id: int | None = None
    """The id that stands for text which the vocabulary does not have; None where every text has ids of its own."""

    @property
    def vocab_size(self) -> int:
        """V obtained, special tokens included."""
        return len(self.vocabulary)

    @property
    def eos_id(self) -> int:
        return self.special["<eos>"]

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """Ids of the text; never a special id."""

    @abstractmethod
    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text."""

    @abstractmethod
    def decode(self, ids: Sequence[int] | np.ndarray) -> str:
        """Text of the ids; special ids stand for nothing. A partial UTF-8 sequence decodes to U+FFFD."""

    @abstractmethod
    def decode_bytes(self, ids: Sequence[int] | np.ndarray) -> bytes:
        """Bytes of the ids, exact where the tokenizer is byte-level; else `decode(ids).encode()`."""

    @abstractmethod
    def token_bytes(self, ids: Sequence[int], text: str) -> list[int]:
        """Bytes of `text` that each of `ids` (its encoding) stands for."""

    @abstractmethod
    def encode_documents(self, documents: Sequence[bytes]) -> Encoded:
        """Many documents at once, fast. ConfigError names the first document that is not UTF-8 (byte takes any)."""

    @abstractmethod
    def spans(self, documents: Sequence[bytes]) -> tuple[Encoded, np.ndarray, np.ndarray]:
        """The encoding, and the first byte and the end of each token within its document.

        Tokens lie side by side, unless text between them is forgotten.
        """

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write `tokenizer.json` (what the `tokenizers` library loads) and what else makes the load bit-identical."""


class TokenizerOption(Option):
    """A kind of tokenizer and its settings.

    Ids of every kind: special tokens first (`<eos>` is 0), then the alphabet, then the pieces in the order in
    which they were learned.
    """

    name: str
    vocab_size: int | None = Field(ge=2, le=2**31 - 1)
    """V, special tokens included."""
    special_tokens: list[str]
    """Tokens that stand for no text. `<eos>` first; text that looks like one stays text."""

    takes_any_bytes: ClassVar[bool] = False
    """Documents need not be UTF-8."""
    one_size: ClassVar[bool] = False
    """V is what it is: in a sweep over V it runs once."""

    @field_validator("special_tokens")
    @classmethod
    def _well_formed(cls, names: list[str]) -> list[str]:
        if not names or names[0] != EOS:
            raise ValueError(f"the first special token must be {EOS}")
        wrong = [name for name in names if not _SPECIAL.fullmatch(name) or name == UNK]
        if wrong or len(set(names)) < len(names):
            raise ValueError(
                f"special tokens look like <name>, each once, and {UNK} is reserved: mend {wrong or names}"
            )
        return names

    def smallest(self) -> int:
        """The V that special tokens and alphabet need before any piece is learned, as far as known without a corpus."""
        return len(self.special_tokens) + 1

    def problems(self, run: Any) -> Iterable[Problem]:
        if self.vocab_size is not None and self.vocab_size < self.smallest():
            right = f"at least {self.smallest()}, or there is no room for the alphabet and the special tokens"
            yield Problem("tokenizer.vocab_size", f"{self.vocab_size} was given", right)

    def check(self) -> None:
        """ConfigError when the settings contradict each other; `fit` calls it, so that no other door is needed."""
        if found := list(self.problems(None)):
            raise ConfigError.of(found)

    def larger(self) -> TokenizerOption | None:
        """The option of a tokenizer from which this one is cut without loss (`truncate_from`), where there is one."""
        return None

    def without_size(self) -> dict[str, Any] | None:
        """Settings but V, for a kind whose every larger fit of the same text holds the smaller ones: `cut` gives them
        without loss. None where V changes what is learned."""
        return None

    def cut(self, tokenizer: Tokenizer) -> Tokenizer:
        """This option's tokenizer out of the fitted `larger()` one, or out of any of the same `without_size()`."""
        raise TypeError(f"{self.name} is not cut from a larger tokenizer")

    def trace(self, texts: Sequence[str], tokenizer: Tokenizer, steps: int, **context: Any) -> list[dict[str, Any]]:
        """How `tokenizer` was learned from the texts, step by step (rows of `trace.py`); none where nothing was."""
        return []

    @abstractmethod
    def fit(self, texts: Iterable[str], **context: Any) -> Tokenizer:
        """Fit on the training split. ConfigError when the corpus cannot give V, with the largest that it can give.

        `context` may hold `progress`, a callable (label, done, total).
        """
