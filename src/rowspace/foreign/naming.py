"""The names of rows: a tokenizer.json, a vocabulary in JSON, a text of a token a line, or a column of a parquet file.

What a row is called is what a person reads: byte-level pieces as text (`Ġking` is " king"), the ▁ of sentencepiece as
the space that it stands for. Rows without a name are said to have none: models pad their tables. Tokenizers are read by
the `tokenizers` library, from JSON; no code of a model is run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tokenizers

from rowspace.errors import ConfigError
from rowspace.foreign.base import Encode
from rowspace.foreign.reading import head, json_of, read_text
from rowspace.tokenization.byte_level import readable
from rowspace.tokenization.pretokenization import byte_letters

BESIDE = ("tokenizer.json", "vocab.json", "vocab.txt")
"""Files that name the rows of a table in the same folder, the first that is there."""
UNNAMED = "<row {} has no token>"
PADDED = 0.1
"""Share by which a table may be longer than its tokenizer; models pad to a multiple that suits the machine."""
PADDED_ROWS = 1024
"""Rows by which it may be longer in any case."""
GROWTH = 256
"""Letters that a normalizer may make of one: it is asked for texts, and memory holds what it writes."""
DEEPEST = 60
"""Sequences within each other; the tokenizers library reads about as many."""
BYTE_OF = {letter: byte for byte, letter in enumerate(byte_letters())}


@dataclass(frozen=True, eq=False)
class Names:
    """Tokens by id, the ids that stand for no text, and `encode` where a tokenizer is behind them.

    `exact`: a list that names every row of its table; a tokenizer may know fewer than the table has.
    """

    file: Path
    what: str
    by_id: Mapping[int, str]
    special: frozenset[int]
    exact: bool
    encode: Encode | None = None

    @property
    def least(self) -> int:
        """Rows that a table must have."""
        return max(self.by_id, default=-1) + 1

    @property
    def most(self) -> int:
        """Rows that a table may have."""
        return self.least if self.exact else self.least + max(PADDED_ROWS, int(PADDED * self.least))

    def of_rows(self, V: int, where: Path) -> tuple[list[str], frozenset[int], dict[str, str]]:
        """(tokens, special ids, what is to be said of them) of a table of V rows. ConfigError where V is another."""
        if not self.least <= V <= self.most:
            raise ConfigError(
                f"{where} has {V:,} rows and {self.file} names {self.least:,}; give the vocabulary of this very table"
            )
        unnamed = [id_ for id_ in range(V) if id_ not in self.by_id]
        said = {"tokens": f"{self.what} {self.file}"}
        if self.special:
            said["special tokens"] = f"{len(self.special):,}; they stand for no text"
        if unnamed:
            said["rows without a token"] = f"{len(unnamed):,} (the first is {unnamed[0]:,}); they stand for no text"
        tokens = [self.by_id[id_] if id_ in self.by_id else UNNAMED.format(id_) for id_ in range(V)]
        return tokens, self.special | frozenset(unnamed), said


def names_beside(folder: Path) -> Names | None:
    """The names in a folder of a table, None where there are none."""
    found = next((folder / name for name in BESIDE if (folder / name).is_file()), None)
    return None if found is None else read_names(found)


def read_names(path: Path) -> Names:
    """The names in a file, whose format is found by its content, or in a folder that holds one of `BESIDE`."""
    if path.is_dir():
        found = names_beside(path)
        if found is None:
            raise ConfigError(f"{path} holds none of {', '.join(BESIDE)}; name the file that has the tokens")
        return found
    first = head(path)
    if first.startswith(b"PAR1"):
        return _listed(path, _column(path), "column of")
    if b"\0" in first and not _is_text(first):
        raise ConfigError(f"{path} is no vocabulary: give a tokenizer.json, a vocab.json, parquet, or a token a line")
    text = read_text(path)
    if text.lstrip()[:1] in ("{", "["):
        held = _json_or_none(text, path)
        if isinstance(held, dict) and "model" in held:
            return _tokenizer(text, held, path)
        if isinstance(held, dict | list):
            return _vocabulary(held, path)
    return _lines(text, path)


def _is_text(data: bytes) -> bool:
    """A NUL may stand in a token; floats and machine code are no UTF-8."""
    try:
        data[: len(data) // 2 or 1].decode()
    except UnicodeDecodeError as error:
        return error.start >= len(data) // 2 - 4
    return True


def _json_or_none(text: str, path: Path) -> Any:
    """What the JSON holds; None for a list of tokens, a line each, that happens to begin with a bracket."""
    try:
        return json_of(text, path)
    except ConfigError:
        first, more, _ = text.partition("\n")
        if more and '"' not in first and path.suffix != ".json":
            return None
        raise


def _tokenizer(text: str, held: Mapping[str, Any], path: Path) -> Names:
    """A tokenizer.json: its pieces as people read them, what was added to it, and its encode."""
    if _growth(held.get("normalizer")) > GROWTH:
        raise ConfigError(
            f"{path}: its normalizer may make more than {GROWTH} letters of one, which no model's does; save it again"
        )
    try:
        library = tokenizers.Tokenizer.from_str(text)
        pieces = library.get_vocab(with_added_tokens=True)
        added = library.get_added_tokens_decoder()
    except BaseException as error:  # the library raises bare Exception, and what its Rust panics with
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        why = " ".join(str(error).split())[:200]
        raise ConfigError(f"{path} is no tokenizer that the tokenizers library reads ({why}); save it again") from None
    library.encode_special_tokens = True  # not in the JSON: without it a typed <eos> is special
    library.no_truncation()
    library.no_padding()
    read = _reader(json.dumps([held.get(part) for part in ("normalizer", "pre_tokenizer", "decoder")]))
    plain = {id_: one.content for id_, one in added.items()}
    by_id = {id_: plain.get(id_) or read(piece) for piece, id_ in pieces.items()}
    special = frozenset(id_ for id_, one in added.items() if one.special)

    def encode(said: str) -> list[int]:
        return library.encode(said.encode("utf-8", "replace").decode(), add_special_tokens=False).ids

    return Names(path, "tokenizer", by_id, special, exact=False, encode=encode)


def _growth(normalizer: Any, depth: int = 0) -> float:
    """Letters that one letter may become, at the most, were every replacement made in what the one before wrote."""
    if not isinstance(normalizer, Mapping):
        return 1
    if depth > DEEPEST:
        return math.inf
    if normalizer.get("type") == "Sequence" and isinstance(normalizer.get("normalizers"), list):
        return math.prod(_growth(one, depth + 1) for one in normalizer["normalizers"])
    written = normalizer.get("content", normalizer.get("prepend"))
    pattern = normalizer.get("pattern")
    taken = pattern.get("String") if isinstance(pattern, Mapping) else None
    least = max(1, len(taken)) if isinstance(taken, str) else 1
    return max(1.0, len(written) / least) if isinstance(written, str) else 1.0


def _reader(written: str) -> Any:
    """How a piece is read, by the parts of the tokenizer that write text in other letters."""
    if '"ByteLevel"' in written:
        return _bytes_read
    if "\\u2581" in written or '"Metaspace"' in written:
        return lambda piece: piece.replace("\u2581", " ")
    return str


def _bytes_read(piece: str) -> str:
    """A piece in byte letters as text; one that holds another letter is no such piece."""
    try:
        return readable(bytes(BYTE_OF[letter] for letter in piece))
    except KeyError:
        return piece


def _vocabulary(held: Any, path: Path) -> Names:
    """A JSON object token -> id, or a list of tokens."""
    if isinstance(held, list):
        wrong = next((one for one in held if not isinstance(one, str)), None)
        if wrong is not None or not held:
            raise ConfigError(f"{path} is a list that holds {wrong!r:.60}; a vocabulary is a list of tokens")
        return _listed(path, held, "list")
    wrong = next((one for one in held.items() if type(one[1]) is not int or one[1] < 0), None)
    if wrong is not None or not held:
        raise ConfigError(f"{path} holds {wrong!r:.60}; a vocabulary gives each token its id: {{token: id}}")
    if len(set(held.values())) < len(held):
        raise ConfigError(f"{path} gives one id to several tokens; a vocabulary gives each token its own")
    in_bytes = any(token.startswith("\u0120") for token in held) and all(
        BYTE_OF.keys() >= set(token) for token in held if not token.startswith("<")
    )
    read = _bytes_read if in_bytes else str
    return Names(path, "vocabulary", {id_: read(token) for token, id_ in held.items()}, frozenset(), exact=False)


def _lines(text: str, path: Path) -> Names:
    """A token a line; sentencepiece writes a score behind a tab."""
    lines = text.removesuffix("\n").replace("\r\n", "\n").split("\n")
    if lines == [""]:
        raise ConfigError(f"{path} is empty; a vocabulary has a token a line")
    pairs = [line.split("\t") for line in lines]
    if all(len(pair) == 2 and _is_score(pair[1]) for pair in pairs):
        return _listed(path, [pair[0] for pair in pairs], "lines (before the tab) of")
    return _listed(path, lines, "lines of")


def _is_score(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _listed(path: Path, tokens: Sequence[str], what: str) -> Names:
    return Names(path, what, dict(enumerate(tokens)), frozenset(), exact=True)


def _column(path: Path) -> list[str]:
    """The only column of texts of a parquet file."""
    from rowspace.foreign.columns import opened_parquet, text_columns, texts

    with opened_parquet(path) as file:
        names = text_columns(file.schema_arrow)
        if len(names) != 1:
            columns = ", ".join(file.schema_arrow.names[:20])
            raise ConfigError(f"{path} has {len(names)} columns of texts ({columns}); a vocabulary has one")
        return texts(file.read([names[0]]).column(0), path, names[0])
