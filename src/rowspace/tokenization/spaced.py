"""Tokenizers over words (word, wordpiece): spaces between words are understood, everything else is spelled out.

kept: a single space between two words has no token; decode puts it back, since two words never touch otherwise.
dropped: all white space is forgotten; decode puts one space between any two words or marks, as the textbook does.
`<unk>` decodes to its own name, so a text with UNK never comes back as itself. Bytes of a token are taken from the
places in the very text (`alignment.py`): with UNK or lower-casing no table of lengths would be right.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from tokenizers import Regex, normalizers

from rowspace.tokenization.alignment import Alignment
from rowspace.tokenization.base import UNK, Encoded
from rowspace.tokenization.joining import JOINER, Align, Joining, byte_offsets, flat
from rowspace.tokenization.library import LibraryTokenizer, Part, encode_in_batches
from rowspace.tokenization.pretokenization import Sections, digits_of

CONTINUES = "##"
"""Marks a piece that continues a word."""


class SpacedTokenizer(LibraryTokenizer):
    """`behaviour`: whitespace (kept or dropped), word (the class of word characters), continues ("##" or none)."""

    reader: ClassVar[str] = "spaced"

    def __init__(self, text: str, *, name: str, behaviour: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        super().__init__(text, name=name, behaviour=behaviour, about=about)
        self.vocabulary = self.pieces
        self.unk_id = self.pieces.index(UNK)
        self._kept = behaviour["whitespace"] == "kept"
        self._joining = Joining(text, Sections(vanishes=True, cut=self._library.pre_tokenizer))
        mark = CONTINUES if behaviour["continues"] else None
        self._starts = np.array([not (mark and piece.startswith(mark)) for piece in self.pieces])
        self._contents = [
            "" if piece in self.special else piece if starts else piece[len(CONTINUES) :]
            for piece, starts in zip(self.pieces, self._starts, strict=True)
        ]
        self._align = self._alignment(text, behaviour["whitespace"])
        self._is_word = self._words_among(behaviour["word"]) if self._kept else ~self._is_special

    def _alignment(self, text: str, whitespace: str) -> Align:
        digits = digits_of(json.loads(text)["pre_tokenizer"], whitespace)
        if digits is None:  # stored by another version: the library says where tokens lie
            return lambda _points, _ids: None
        lengths = np.array([len(content) for content in self._contents] + [1], dtype=np.int64)  # the joiner's is 1
        lengths[self.unk_id] = -1
        starts = np.append(self._starts, True)
        return Alignment(whitespace=whitespace, digits=digits, joiner=JOINER, lengths=lengths, starts=starts)

    def _words_among(self, inside: str) -> np.ndarray:
        """Which pieces are made of word characters (the first decides: no piece is mixed). UNK counts as a word."""
        strip = normalizers.Replace(Regex(inside), "")
        firsts = {content[0]: strip.normalize_str(content[0]) == "" for content in self._contents if content}
        is_word = np.array([bool(content) and firsts[content[0]] for content in self._contents])
        is_word[self.unk_id] = True
        return is_word

    def decode_bytes(self, ids: Sequence[int] | np.ndarray) -> bytes:
        array = np.asarray(ids, dtype=np.int64)
        array = array[~self._is_special[array]]
        words = self._is_word[array]
        space = self._starts[array]
        space[1:] &= words[1:] & words[:-1]
        space[:1] = False
        contents = self._contents
        parts = [
            " " + contents[i] if gap else contents[i] for i, gap in zip(array.tolist(), space.tolist(), strict=True)
        ]
        return "".join(parts).encode()

    def encode_documents(self, documents: Sequence[bytes]) -> Encoded:
        return encode_in_batches(documents, self._encode_some)

    def spans(self, documents: Sequence[bytes]) -> tuple[Encoded, np.ndarray, np.ndarray]:
        starts: list[np.ndarray] = []
        ends: list[np.ndarray] = []

        def encode(texts: list[str]) -> Part:
            ids, start, end, counts = self._spans(texts)
            starts.append(start)
            ends.append(end)
            return ids, self._bytes_of(texts, start, end, counts), counts

        encoded = encode_in_batches(documents, encode)
        none = np.zeros(0, dtype=np.int64)
        return encoded, np.concatenate([none, *starts]), np.concatenate([none, *ends])

    def _encode_some(self, texts: list[str]) -> Part:
        ids, starts, ends, counts = self._spans(texts)
        return ids, self._bytes_of(texts, starts, ends, counts), counts

    def _bytes_of(self, texts: list[str], starts: np.ndarray, ends: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Bytes of each token: its own, and the single space before it that decode puts back."""
        before = np.concatenate([[0], ends[:-1]])
        first = (np.cumsum(counts) - counts)[counts > 0]
        before[first] = 0
        gap = starts - before
        if self._kept:
            return (ends - before).astype(np.int32)  # nothing but such spaces lies between tokens
        raw = np.frombuffer("".join(texts).encode(), dtype=np.uint8)
        sizes = np.array([len(text.encode()) for text in texts], dtype=np.int64)
        place = before + np.repeat(np.cumsum(sizes) - sizes, counts)
        restored = (gap == 1) & (raw[np.minimum(place, len(raw) - 1)] == 0x20)
        restored[first] = False
        return (ends - starts + restored).astype(np.int32)

    def _spans(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """ids, first byte and end of each token within its text, and tokens of each text."""
        if any(JOINER in text for text in texts):
            encoded = self._library.encode_batch(texts, add_special_tokens=False)
            counts = np.array([len(one) for one in encoded], dtype=np.int64)
            starts, ends, _ = byte_offsets(texts, encoded)
            sizes = np.array([len(text.encode()) for text in texts], dtype=np.int64)
            here = np.repeat(np.cumsum(sizes) - sizes, counts)
            return flat(encoded), starts - here, ends - here, counts
        tokens = self._joining.encode(texts, self._align)
        joins = tokens.ids == self._joining.id
        of_section = np.diff(np.flatnonzero(joins), prepend=-1) - 1
        begins = np.concatenate([[0], tokens.ends[joins][:-1]])  # of each section, in bytes of all strings together
        first = np.cumsum(tokens.sections) - tokens.sections  # the first section of each text
        # within its text a later section lies nearer by the joiners before it, and further by what vanished
        moved = np.cumsum(len(JOINER.encode()) - tokens.vanished) - (len(JOINER.encode()) - tokens.vanished[0])
        here = np.repeat(begins[first] - moved[first], tokens.sections) + moved
        here = np.repeat(here, of_section)
        return (
            tokens.ids[~joins],
            tokens.starts[~joins] - here,
            tokens.ends[~joins] - here,
            np.add.reduceat(of_section, first),
        )
