"""Encoding many texts at once: short ones joined, long ones in sections, and where their tokens lie.

Every string has a fixed cost in the library, and it keeps some 100 bytes a token until they are taken over. What ids
mean is left to the tokenizers.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tokenizers

from rowspace.tokenization.pretokenization import SECTION, Sections, batches

JOINER = "\U0010fffd"
"""Stands between documents that are encoded as one string: the last private-use character; its absence is checked."""
AT_ONCE = 1 << 20
"""Characters that are encoded in one call: the library keeps some 100 bytes a token until they are taken over."""
BATCH = 8192
"""Characters that are encoded as one string: many short documents together, since each string has a fixed cost."""


@dataclass(frozen=True)
class Tokens:
    """Encoded texts, flat. `ids` hold joiners behind each section; `sections` per text; `vanished` bytes per section.

    `starts` and `ends` in bytes of all strings together, where they were asked for.
    """

    ids: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    sections: np.ndarray
    vanished: np.ndarray


Align = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray] | None]
"""From code points and ids to the first character and the end of each token, or None: then the library is asked."""


class Joining:
    """A second instance of a library tokenizer that knows one special token: the string between documents.

    Many short documents are encoded as one string, since each string has a fixed cost.
    """

    def __init__(self, text: str, sections: Sections) -> None:
        self._library = tokenizers.Tokenizer.from_str(json.dumps({**json.loads(text), "added_tokens": []}))
        self._library.add_special_tokens([tokenizers.AddedToken(JOINER, special=True, normalized=False)])
        self.id = self._library.token_to_id(JOINER)
        self._sections = sections

    def encode(self, texts: Sequence[str], align: Align | None = None) -> Tokens:
        """The texts, none of which may hold JOINER; with first bytes and ends of tokens where `align` is given."""
        cut, each, vanished = self._cut(texts)
        strings = [JOINER.join(some) + JOINER for some in batches(cut, BATCH)]
        ids, starts, ends = [], [], []
        at = 0
        for some in batches(strings, AT_ONCE):
            encoded = self._library.encode_batch_fast(some, add_special_tokens=False)
            ids.append(flat(encoded))
            if align is None:
                continue
            points = code_points(some)
            if (places := align(points, ids[-1])) is None:
                places = character_offsets(some, self._library.encode_batch(some, add_special_tokens=False))
            byte_at = bytes_before(points)
            first, end, total = byte_at[places[0]], byte_at[places[1]], int(byte_at[-1])
            starts.append(first + at)
            ends.append(end + at)
            at += total
        first, end = (np.concatenate([np.zeros(0, dtype=np.int64), *some]) for some in (starts, ends))
        return Tokens(np.concatenate(ids), first, end, each, vanished)

    def _cut(self, texts: Sequence[str]) -> tuple[Sequence[str], np.ndarray, np.ndarray]:
        """Sections of all texts, how many each text has, and the bytes that vanished before each section."""
        if max(map(len, texts), default=0) <= SECTION:
            return texts, np.ones(len(texts), dtype=np.int64), np.zeros(len(texts), dtype=np.int64)
        cut = [list(self._sections.of(text)) for text in texts]
        vanished = np.array([gone for some in cut for _, gone in some], dtype=np.int64)
        return [s for some in cut for s, _ in some], np.array([len(some) for some in cut], dtype=np.int64), vanished


def byte_offsets(strings: Sequence[str], encoded: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, int]:
    """First byte and end of every token in all strings together, and the bytes of the strings."""
    starts, ends = character_offsets(strings, encoded)
    byte_at = bytes_before(code_points(strings))
    return byte_at[starts], byte_at[ends], int(byte_at[-1])


def character_offsets(strings: Sequence[str], encoded: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """First character and end of every token in all strings together, as the library counts them."""
    lengths = np.array([len(string) for string in strings], dtype=np.int64)
    total = sum(len(one) for one in encoded)
    numbers = itertools.chain.from_iterable(itertools.chain.from_iterable(one.offsets for one in encoded))
    characters = np.fromiter(numbers, dtype=np.int64, count=2 * total)
    characters += np.repeat(np.cumsum(lengths) - lengths, np.array([2 * len(one) for one in encoded], dtype=np.int64))
    return characters[0::2], characters[1::2]


def code_points(strings: Sequence[str]) -> np.ndarray:
    """Of all strings together."""
    return np.frombuffer("".join(strings).encode("utf-32-le"), dtype=np.uint32)


def bytes_before(points: np.ndarray) -> np.ndarray:
    """UTF-8 bytes before each character, and of all."""
    widths = 1 + (points >= 0x80).astype(np.int8) + (points >= 0x800) + (points >= 0x10000)
    return np.concatenate([[0], np.cumsum(widths, dtype=np.int64)])


def flat(encoded: Sequence[Any]) -> np.ndarray:
    """The ids of many encodings, one after the other, int32."""
    total = sum(len(one) for one in encoded)
    return np.fromiter(itertools.chain.from_iterable(one.ids for one in encoded), dtype=np.int32, count=total)
