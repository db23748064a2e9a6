"""Sequences of documents that need not sit in memory, and the hash that names a sequence of documents.

Does not read any file format: see `rows.py` for columns and `text.py` for plain text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

import numpy as np

BATCH = 2048
"""Documents that are joined for one call of the hash."""


class StoredTexts(Sequence[bytes]):
    """Documents that lie back to back in one buffer, usually a memory map.

    `buffer` (bytes,) uint8; `offsets` (D + 1,) int64, document i is `buffer[offsets[i]:offsets[i + 1]]`.
    """

    def __init__(self, buffer: np.ndarray, offsets: np.ndarray) -> None:
        self.buffer = buffer
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"document {index} of {len(self)}")
        index %= len(self)
        return self.buffer[self.offsets[index] : self.offsets[index + 1]].tobytes()


class SelectedTexts(Sequence[bytes]):
    """Some documents of another sequence, in the order of `indices` (n,) int64."""

    def __init__(self, texts: Sequence[bytes], indices: np.ndarray) -> None:
        self.texts = texts
        self.indices = indices

    def __len__(self) -> int:
        return len(self.indices)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self.texts[i] for i in self.indices[index].tolist()]
        return self.texts[int(self.indices[index])]


def text_lengths(texts: Sequence[bytes]) -> np.ndarray:
    """Bytes of each document, (D,) int64."""
    if isinstance(texts, StoredTexts):
        return np.diff(texts.offsets)
    return np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))


def texts_sha256(texts: Sequence[bytes]) -> str:
    """Hash of the documents and of where each ends: of all lengths as little-endian int64, then of all bytes."""
    digest = hashlib.sha256(text_lengths(texts).astype("<i8").tobytes())
    for batch in batched(texts, BATCH):
        digest.update(b"".join(batch))
    return digest.hexdigest()


def batched(texts: Sequence[bytes], size: int) -> Iterator[list[bytes]]:
    """The documents in lists of at most `size`."""
    documents = iter(texts)
    while batch := list(islice(documents, size)):
        yield batch
