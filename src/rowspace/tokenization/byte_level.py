"""Byte-level tokenizers (bpe, unigram): each piece is a byte string, so ids and bytes translate by a table.

Exact in both directions for every text; the bytes of a token do not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from rowspace.tokenization.base import Encoded
from rowspace.tokenization.joining import JOINER, Joining, flat
from rowspace.tokenization.library import LibraryTokenizer, Part, encode_in_batches
from rowspace.tokenization.pretokenization import Sections, byte_letters


class ByteLevelTokenizer(LibraryTokenizer):
    """Pieces written in the 256 letters of `byte_letters`."""

    reader: ClassVar[str] = "byte-level"

    def __init__(self, text: str, *, name: str, behaviour: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        super().__init__(text, name=name, behaviour=behaviour, about=about)
        byte_of = {letter: byte for byte, letter in enumerate(byte_letters())}
        self._bytes = [b"" if p in self.special else bytes(byte_of[letter] for letter in p) for p in self.pieces]
        self._joining = Joining(text, Sections(vanishes=False, cut=self._library.pre_tokenizer))
        self._lengths = np.array([len(piece) for piece in self._bytes], dtype=np.int32)
        self.vocabulary = [
            piece if piece in self.special else readable(raw)
            for piece, raw in zip(self.pieces, self._bytes, strict=True)
        ]

    def decode_bytes(self, ids: Sequence[int] | np.ndarray) -> bytes:
        ids = ids.tolist() if isinstance(ids, np.ndarray) else ids  # look-ups by Python's own numbers are faster
        return b"".join([self._bytes[id_] for id_ in ids])

    def encode_documents(self, documents: Sequence[bytes]) -> Encoded:
        return encode_in_batches(documents, self._encode_some)

    def _encode_some(self, texts: list[str]) -> Part:
        if any(JOINER in text for text in texts):
            encoded = self._library.encode_batch_fast(texts, add_special_tokens=False)
            ids, counts = flat(encoded), np.array([len(one) for one in encoded], dtype=np.int64)
            return ids, self._lengths[ids], counts
        tokens = self._joining.encode(texts)
        joins = tokens.ids == self._joining.id
        of_section = np.diff(np.flatnonzero(joins), prepend=-1) - 1
        ids = tokens.ids[~joins]
        return ids, self._lengths[ids], np.add.reduceat(of_section, np.cumsum(tokens.sections) - tokens.sections)


def readable_letters(piece: str) -> str:
    """A piece written in the 256 letters, as people read it."""
    byte_of = {letter: byte for byte, letter in enumerate(byte_letters())}
    return readable(bytes(byte_of[letter] for letter in piece))


def readable(raw: bytes) -> str:
    """Bytes as people read them: text where they are UTF-8, `<0xE2>` for a byte that is a part of a character."""
    return "".join(
        f"<0x{ord(letter) - 0xDC00:02X}>" if 0xDC80 <= ord(letter) <= 0xDCFF else letter
        for letter in raw.decode("utf-8", errors="surrogateescape")
    )
