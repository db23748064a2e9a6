"""Tiny tokenizers for the tests of this room: they share no code with the real ones."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from rowspace.data.base import DataOption, Documents
from rowspace.data.stream import TokenStream, open_or_build
from rowspace.data.texts import texts_sha256
from rowspace.errors import ConfigError
from rowspace.tokenization.base import Encoded, Tokenizer


class Plain(Tokenizer):
    """What both tokenizers below share: tokens lie side by side."""

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    def spans(self, documents: Sequence[bytes]) -> tuple[Encoded, np.ndarray, np.ndarray]:
        encoded = self.encode_documents(documents)
        ends = np.cumsum(encoded.token_bytes)
        return encoded, ends - encoded.token_bytes, ends

    def save(self, folder: Path) -> None:
        (folder / "tokenizer.json").write_text("{}")


class Bytes(Plain):
    """One id a byte, 256 is `<eos>`."""

    name = "byte"

    def __init__(self, name: str = "bytes") -> None:
        self.vocabulary = [chr(i) for i in range(256)] + ["<eos>"]
        self.special = {"<eos>": 256}
        self.sha256 = hashlib.sha256(name.encode()).hexdigest()

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def decode(self, ids: Sequence[int]) -> str:
        return self.decode_bytes(ids).decode(errors="replace")

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        return bytes(id_ for id_ in ids if id_ < 256)

    def token_bytes(self, ids: Sequence[int], text: str) -> list[int]:
        return [1] * len(ids)

    def encode_documents(self, documents: Sequence[bytes]) -> Encoded:
        ids = np.frombuffer(b"".join(documents), dtype=np.uint8).astype(np.int32)
        offsets = np.cumsum([0, *map(len, documents)])
        return Encoded(ids, np.ones(len(ids), dtype=np.int32), offsets)


class Words(Plain):
    """One id a word between single spaces, in alphabetical order; a space counts for the word behind it."""

    name = "word"

    def __init__(self, texts: Sequence[bytes]) -> None:
        words = sorted({word for text in texts for word in text.decode().split(" ")})
        self.vocabulary = [*words, "<eos>"]
        self.special = {"<eos>": len(words)}
        self.id_of = {word: i for i, word in enumerate(words)}
        self.sha256 = hashlib.sha256("\0".join(words).encode()).hexdigest()

    def encode(self, text: str) -> list[int]:
        return [self.id_of[word] for word in text.split(" ")]

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(self.vocabulary[i] for i in ids if i != self.eos_id)

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        return self.decode(ids).encode()

    def token_bytes(self, ids: Sequence[int], text: str) -> list[int]:
        return [len(self.vocabulary[i].encode()) + (k > 0) for k, i in enumerate(ids)]

    def encode_documents(self, documents: Sequence[bytes]) -> Encoded:
        try:
            rows = [self.encode(document.decode()) for document in documents]
        except UnicodeDecodeError as error:
            raise ConfigError(f"a document is not UTF-8: {error}") from error
        sizes = [self.token_bytes(row, "") for row in rows]
        offsets = np.cumsum([0, *map(len, rows)])
        return Encoded(np.array([*chain(*rows)], dtype=np.int32), np.array([*chain(*sizes)], dtype=np.int32), offsets)


class Corpus(DataOption):
    """An option that is nothing but its fractions."""

    name: str = "corpus"
    documents: str = "packed"  # type: ignore[assignment]
    val_fraction: float = 0.1
    test_fraction: float = 0.1
    take: int | None = None

    def load(self, **_: object) -> Documents:
        raise AssertionError


@pytest.fixture
def byte_tokenizer() -> Bytes:
    return Bytes()


@pytest.fixture
def other_tokenizer() -> Bytes:
    """Another tokenizer with the same V and the same ids: only its hash differs."""
    return Bytes("other")


@pytest.fixture
def words():
    """Words(texts)."""
    return Words


@pytest.fixture
def corpus():
    """corpus(val_fraction=..., test_fraction=...): an option."""
    return Corpus


@pytest.fixture
def documents_of():
    """documents_of(texts): Documents grouped by their own text."""
    return lambda texts: Documents(texts, texts, texts_sha256(texts))


@pytest.fixture
def stream_of(tmp_path: Path, byte_tokenizer: Bytes):
    """stream_of(texts): a byte-level TokenStream."""

    def build(texts: Sequence[bytes], tokenizer: Tokenizer = byte_tokenizer) -> TokenStream:
        return open_or_build(tokenizer, texts, cache=tmp_path)

    return build
