"""A tokenizer whose artifact is a `tokenizer.json`: encoding by the `tokenizers` library, identity, and saving.

What ids mean as bytes differs between kinds and is left to `byte_level.py`, `spaced.py` and `alphabets.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import tokenizers

from rowspace.errors import ConfigError, Problem
from rowspace.runfolder import write_atomically
from rowspace.tokenization.base import EOS, Encoded, Tokenizer, TokenizerOption
from rowspace.tokenization.pretokenization import batches

FORMAT = 1
"""Version of the stored form; part of every hash and cache key."""


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
