"""A tokenizer whose artifact is a `tokenizer.json`: encoding by the `tokenizers` library, identity, and saving.

What ids mean as bytes differs between kinds and is left to `byte_level.py`, `spaced.py` and `alphabets.py`.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import tokenizers

from rowspace.errors import ConfigError, Problem
from rowspace.runfolder import write_atomically
from rowspace.tokenization.base import EOS, Encoded, Tokenizer, TokenizerOption
from rowspace.tokenization.pretokenization import SECTION, Sections, batches

FORMAT = 1
"""Version of the stored form; part of every hash and cache key."""
JOINER = "\U0010fffd"
"""Stands between documents that are encoded as one string: the last private-use character; its absence is checked."""
AT_ONCE = 1 << 20
"""Characters that are encoded in one call: the library keeps some 100 bytes a token until they are taken over."""
BATCH = 8192
"""Characters that are encoded as one string: many short documents together, since each string has a fixed cost."""


class LibraryTokenizer(Tokenizer):
    """Behaviour that every kind shares.

    `behaviour` is what decoding needs beyond the JSON; with the JSON it is what `sha256` is of. `about` is for people.
    """

    reader: ClassVar[str]
    """Name of the class in the stored form."""

    def __init__(self, text: str, *, name: str, behaviour: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        self.json = text
        self.name = name
        self.behaviour = dict(behaviour)
        self.about = dict(about)
        identity = json.dumps([FORMAT, name, self.reader, self.behaviour], sort_keys=True)
        self.sha256 = hashlib.sha256(f"{identity}\n{text}".encode()).hexdigest()
        self._library = tokenizers.Tokenizer.from_str(text)
        self._library.encode_special_tokens = True  # not stored in the JSON: without it a typed <eos> is special
        stored = json.loads(text)
        self.special = {added["content"]: added["id"] for added in stored["added_tokens"]}
        pieces = sorted(self._library.get_vocab().items(), key=lambda entry: entry[1])
        if [id_ for _, id_ in pieces] != list(range(len(pieces))) or EOS not in self.special:
            raise ValueError(f"ids must be 0..V-1 and {EOS} among the special tokens")
        self.pieces = [piece for piece, _ in pieces]
        """The V strings of the library's vocabulary, by id."""
        self._is_special = np.zeros(len(pieces), dtype=bool)
        self._is_special[list(self.special.values())] = True

    def encode(self, text: str) -> list[int]:
        return self._library.encode(_unicode(text), add_special_tokens=False).ids

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        encoded = self._library.encode_batch_fast([_unicode(text) for text in texts], add_special_tokens=False)
        return [one.ids for one in encoded]

    def decode(self, ids: Sequence[int] | np.ndarray) -> str:
        return self.decode_bytes(ids).decode("utf-8", errors="replace")

    def token_bytes(self, ids: Sequence[int], text: str) -> list[int]:
        encoded = self.encode_documents([text.encode()])
        if encoded.ids.tolist() != list(ids):
            raise ValueError("token_bytes needs the ids that encode gives for this very text")
        return encoded.token_bytes.tolist()

    def spans(self, documents: Sequence[bytes]) -> tuple[Encoded, np.ndarray, np.ndarray]:
        encoded = self.encode_documents(documents)
        ends = np.cumsum(encoded.token_bytes, dtype=np.int64)
        before = np.concatenate([[0], ends])[encoded.offsets[:-1]]
        ends -= np.repeat(before, np.diff(encoded.offsets))
        return encoded, ends - encoded.token_bytes, ends

    def save(self, folder: Path) -> None:
        sidecar: dict[str, Any] = {
            "format": FORMAT,
            "name": self.name,
            "reader": self.reader,
            "behaviour": self.behaviour,
            "about": self.about,
            "sha256": self.sha256,
        }
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / "tokenizer.json", self.json.encode())
        write_atomically(folder / "rowspace.json", (json.dumps(sidecar, indent=1, sort_keys=True) + "\n").encode())


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


Part = tuple[np.ndarray, np.ndarray, np.ndarray]
"""ids, token_bytes, and tokens of each document."""


def encode_in_batches(documents: Sequence[bytes], encode: Callable[[list[str]], Part]) -> Encoded:
    """The documents through `encode`, a few megabytes at a time."""
    parts: list[Part] = []
    done = 0
    for some in batches(documents, 1 << 22):
        parts.append(encode(texts_of(some, done)))
        done += len(some)
    ids, token_bytes, counts = (
        np.concatenate([np.zeros(0, kind), *(part[i] for part in parts)]).astype(kind, copy=False)
        for i, kind in enumerate((np.int32, np.int32, np.int64))
    )
    return Encoded(ids=ids, token_bytes=token_bytes, offsets=np.concatenate([[0], np.cumsum(counts)]))


def with_specials(library: tokenizers.Tokenizer, option: TokenizerOption) -> str:
    """The artifact's JSON, the special tokens marked as such."""
    library.add_special_tokens(
        [tokenizers.AddedToken(s, special=True, normalized=False) for s in option.special_tokens]
    )
    return library.to_str()


def about(option: TokenizerOption, algorithm: str, **more: Any) -> dict[str, Any]:
    """What the truth card says of a fit: the V asked, the algorithm that really ran, the library."""
    library = f"tokenizers {tokenizers.__version__}"
    return {"asked": option.vocab_size, "algorithm": algorithm, "library": library, **more}


def learned_from(words: Mapping[str, int], everything: Mapping[str, int]) -> str:
    """What the truth card adds to the algorithm where not all different words were learned from."""
    if len(words) == len(everything):
        return ""
    return f"; learned from the {len(words)} most frequent of {len(everything)} different words"


def too_large(option: TokenizerOption, largest: int, why: str) -> ConfigError:
    """The corpus cannot give V."""
    right = f"this training text can give at most {largest} ({why}): ask for that or less, or give more text"
    return ConfigError(Problem("tokenizer.vocab_size", f"{option.vocab_size} was given", right))


def too_small(option: TokenizerOption, smallest: int, why: str) -> ConfigError:
    """V has no room for what every text of this corpus needs."""
    right = f"this training text needs at least {smallest} ({why})"
    return ConfigError(Problem("tokenizer.vocab_size", f"{option.vocab_size} was given", right))


def flat(encoded: Sequence[Any]) -> np.ndarray:
    """The ids of many encodings, one after the other, int32."""
    total = sum(len(one) for one in encoded)
    return np.fromiter(itertools.chain.from_iterable(one.ids for one in encoded), dtype=np.int32, count=total)


def texts_of(documents: Sequence[bytes], first: int) -> list[str]:
    """The documents as texts; the number of the first of them is `first`."""
    try:
        return [str(document, "utf-8") for document in documents]
    except UnicodeDecodeError:
        return [text_of(document, first + place) for place, document in enumerate(documents)]


def text_of(document: bytes, index: int) -> str:
    """The document as text. ConfigError names the document and the place where it is no UTF-8."""
    try:
        return document.decode("utf-8")
    except UnicodeDecodeError as error:
        begins = document[:40].decode("utf-8", errors="backslashreplace")
        raise ConfigError(
            f"document {index} is not UTF-8 (byte {document[error.start]:#04x} at {error.start}; "
            f"it begins {begins!r}): mend the file, or choose tokenizer=byte, which takes any bytes"
        ) from error


def _unicode(text: str) -> str:
    """The text, unless it holds half of a surrogate pair, which no UTF-8 can carry."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ConfigError(
                f"the text holds {text[error.start]!r} at {error.start}, half of a surrogate pair: give valid Unicode"
            ) from error
    return text
