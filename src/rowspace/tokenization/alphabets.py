"""byte and char: tokenizers without learned pieces, encoded by table look-up.

Ids: special tokens, then the 256 bytes in order, then the characters by count. As a library artifact both are a BPE
model without merges: byte over the letters of `byte_letters`, char with the library's byte fallback (`<0x41>`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from tokenizers import Tokenizer as Library
from tokenizers import decoders, models, pre_tokenizers

from rowspace.tokenization.base import Encoded, TokenizerOption
from rowspace.tokenization.byte_level import readable
from rowspace.tokenization.library import LibraryTokenizer, Part, about, encode_in_batches, too_large, with_specials
from rowspace.tokenization.pretokenization import batches, byte_letters

CODE_POINTS = 0x110000


class ByteTokenizer(LibraryTokenizer):
    """id = byte + number of special tokens."""

    reader: ClassVar[str] = "bytes"
    takes_any_bytes: ClassVar[bool] = True

    def __init__(self, text: str, *, name: str, behaviour: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        super().__init__(text, name=name, behaviour=behaviour, about=about)
        self._first = len(self.special)
        self.vocabulary = [*self.pieces[: self._first], *(readable(bytes([byte])) for byte in range(256))]

    def encode_bytes(self, data: bytes) -> list[int]:
        """Ids of any bytes, UTF-8 or not."""
        return (np.frombuffer(data, dtype=np.uint8).astype(np.int32) + self._first).tolist()

    def encode(self, text: str) -> list[int]:
        return self.encode_bytes(text.encode())

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    def decode_bytes(self, ids: Sequence[int] | np.ndarray) -> bytes:
        array = np.asarray(ids, dtype=np.int64)
        return (array[array >= self._first] - self._first).astype(np.uint8).tobytes()

    def encode_documents(self, documents: Sequence[bytes]) -> Encoded:
        counts = np.array([len(document) for document in documents], dtype=np.int64)
        ids = np.frombuffer(b"".join(documents), dtype=np.uint8).astype(np.int32) + self._first
        return Encoded(ids=ids, token_bytes=np.ones_like(ids), offsets=np.concatenate([[0], np.cumsum(counts)]))


class CharTokenizer(LibraryTokenizer):
    """A table from code points to ids; what it lacks becomes the ids of its UTF-8 bytes."""

    reader: ClassVar[str] = "characters"

    def __init__(self, text: str, *, name: str, behaviour: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        super().__init__(text, name=name, behaviour=behaviour, about=about)
        self._first = len(self.special)
        self._characters = self._first + 256
        self._id_of = np.full(CODE_POINTS, -1, dtype=np.int32)
        points = np.array([ord(piece) for piece in self.pieces[self._characters :]], dtype=np.int64)
        self._id_of[points] = np.arange(self._characters, len(self.pieces), dtype=np.int32)
        self._bytes = [b""] * self._first + [bytes([byte]) for byte in range(256)]
        self._bytes += [piece.encode() for piece in self.pieces[self._characters :]]
        self._lengths = np.array([len(piece) for piece in self._bytes], dtype=np.int32)
        self.vocabulary = [
            *self.pieces[: self._first],
            *(f"<0x{byte:02X}>" for byte in range(256)),
            *self.pieces[self._characters :],
        ]

    def encode(self, text: str) -> list[int]:
        return self._ids(text)[0].tolist()

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    def decode_bytes(self, ids: Sequence[int] | np.ndarray) -> bytes:
        ids = ids.tolist() if isinstance(ids, np.ndarray) else ids  # look-ups by Python's own numbers are faster
        return b"".join([self._bytes[id_] for id_ in ids])

    def encode_documents(self, documents: Sequence[bytes]) -> Encoded:
        return encode_in_batches(documents, self._encode_some)

    def _encode_some(self, texts: list[str]) -> Part:
        ids, tokens = self._ids("".join(texts))
        ends = np.concatenate([[0], np.cumsum(tokens)])[np.cumsum([0, *map(len, texts)])]
        return ids, self._lengths[ids], np.diff(ends)

    def _ids(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        """Ids of the text, int32, and the number of tokens of each of its characters."""
        points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
        ids = self._id_of[points]
        tokens = np.ones(len(ids), dtype=np.int64)
        missing = np.flatnonzero(ids < 0)
        if missing.size:
            raw = [text[i].encode() for i in missing]
            tokens[missing] = [len(some) for some in raw]
            fallen = np.repeat(ids < 0, tokens)
            ids = np.repeat(ids, tokens)
            ids[fallen] = np.frombuffer(b"".join(raw), dtype=np.uint8).astype(np.int32) + self._first
        return ids, tokens


def byte_tokenizer(option: TokenizerOption) -> ByteTokenizer:
    """256 bytes and the special tokens."""
    vocabulary = {piece: id_ for id_, piece in enumerate([*option.special_tokens, *byte_letters()])}
    library = Library(models.BPE(vocab=vocabulary, merges=[]))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)  # type: ignore[assignment]
    library.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    return ByteTokenizer(with_specials(library, option), name=option.name, behaviour={}, about=about(option, "none"))


def char_tokenizer(option: TokenizerOption, texts: Iterable[str]) -> CharTokenizer:
    """The most frequent characters of the texts, equal counts by code point."""
    counts = np.zeros(CODE_POINTS, dtype=np.int64)
    for batch in batches(texts, 1 << 22):
        points = np.frombuffer("".join(batch).encode("utf-32-le"), dtype=np.uint32)
        counts += np.bincount(points, minlength=CODE_POINTS)
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    room = len(order) if option.vocab_size is None else option.vocab_size - option.smallest()
    if room > len(order):
        raise too_large(option, option.smallest() + len(order), f"it has {len(order)} characters")
    fallback = [f"<0x{byte:02X}>" for byte in range(256)]
    pieces = [*option.special_tokens, *fallback, *map(chr, order[:room])]
    model = models.BPE(vocab={piece: id_ for id_, piece in enumerate(pieces)}, merges=[], byte_fallback=True)
    library = Library(model)
    library.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])  # type: ignore[assignment]
    found = about(option, "characters by count")
    return CharTokenizer(with_specials(library, option), name=option.name, behaviour={}, about=found)
