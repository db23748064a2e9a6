"""How often each token of a table occurs: read from a file of counts, or counted in a text.

Files of counts: JSON {token: count}, lines "token TAB count", or parquet with a column of strings and one of whole
numbers. Anything else is a text: it is encoded with the table's tokenizer, line by line, or cut at white space where
there is none, and what that finds in the table is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.errors import ConfigError
from rowspace.foreign.base import Encode
from rowspace.foreign.reading import head, opened, read_json, read_text, taken
from rowspace.probing.base import Progress
from rowspace.table import TokenTable

COUNTED = re.compile(r"[^\t\n]*\t[0-9]{1,18}")
PIECE = 1 << 18
"""Bytes that are encoded at once: an encoding takes a hundred times the memory of its text."""
LONGEST = 1 << 24
"""Bytes in which a text has a line end or a space."""
LARGEST = 1 << 62
"""The sum of all counts, at the most: an int64 holds it."""
SNIFFED = 50
"""Lines that say whether a file is one of counts."""


def with_counts(table: TokenTable, path: Path, encode: Encode | None, progress: Progress) -> TokenTable:
    """The table with `counts`, and in its source what they are of. ConfigError where no token of the table occurs."""
    first = head(path)
    known = _counts_of(path, first)
    if known is None:
        counts, said = _count(path, table, encode, progress)
    else:
        counts, said = _looked_up(known, table, path)
    if not counts.any():
        raise ConfigError(f"counts: no token of the table occurs in {path}; give the counts or a text of its language")
    return replace(table, counts=counts, source={**table.source, "counts": said})


def _counts_of(path: Path, first: bytes) -> Mapping[str, int] | None:
    """Counts by token where the file holds such; None where it is a text."""
    if first.startswith(b"PAR1"):
        return _parquet(path)
    lines = first.decode("utf-8", "replace").split("\n")[:SNIFFED]
    if first.lstrip()[:1] == b"{" and path.name.removesuffix(".gz").endswith(".json"):
        held = read_json(path)
        pairs = list(held.items()) if isinstance(held, dict) else []
    elif [line for line in lines[:-1] or lines if line.strip()] and all(
        COUNTED.fullmatch(line.rstrip("\r")) for line in lines[:-1] or lines if line.strip()
    ):
        pairs = _lines(path)
    else:
        return None
    wrong = next((pair for pair in pairs if type(pair[1]) is not int or not 0 <= pair[1] <= LARGEST), None)
    if wrong is not None or not pairs:
        raise ConfigError(f"counts: {path} holds {wrong!r:.80}; a file of counts gives each token a whole number >= 0")
    return _added(pairs, path)


def _added(pairs: list[tuple[str, int]], path: Path) -> Mapping[str, int]:
    """Counts by token; a token that stands there twice has both. ConfigError where their sum is beyond LARGEST."""
    if sum(count for _, count in pairs) > LARGEST:
        raise ConfigError(f"counts: those of {path} add up to more than {LARGEST:,}, which no text holds; mend them")
    found: Counter[str] = Counter()
    for token, count in pairs:
        found[token] += count
    return found


def _lines(path: Path) -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for number, line in enumerate(read_text(path).removesuffix("\n").split("\n"), start=1):
        token, _, count = line.rstrip("\r").partition("\t")
        if not COUNTED.fullmatch(line.rstrip("\r")):
            raise ConfigError(f"counts: {path}, line {number}, is {line[:60]!r}; every line is a token, a tab, a count")
        pairs.append((token, int(count)))
    return pairs


def _parquet(path: Path) -> Mapping[str, int]:
    import pyarrow as pa

    from rowspace.foreign.columns import opened_parquet, text_columns, texts

    with opened_parquet(path) as file:
        schema = file.schema_arrow
        names, numbers = text_columns(schema), [one.name for one in schema if pa.types.is_integer(one.type)]
        if "count" in numbers:
            numbers = ["count"]
        if len(names) != 1 or len(numbers) != 1:
            raise ConfigError(
                f"counts: {path} has the columns {', '.join(schema.names[:20])}; counts are one column of strings and "
                "one of whole numbers (or one called count)"
            )
        read = file.read([names[0], numbers[0]])
    counts = read.column(numbers[0]).to_pylist()
    if any(count is None or count < 0 for count in counts):
        raise ConfigError(f"counts: {path} holds counts that are null or below 0; give a whole number >= 0 for each")
    return _added(list(zip(texts(read.column(names[0]), path, names[0]), counts, strict=True)), path)


def _looked_up(known: Mapping[str, int], table: TokenTable, path: Path) -> tuple[np.ndarray, str]:
    counts = np.zeros(table.V, dtype=np.int64)
    found = 0
    for token, count in known.items():
        id_ = table.id_of.get(token)
        if id_ is not None:
            counts[id_] = count
            found += 1
    said = (
        f"from {path}: {found:,} of its {len(known):,} tokens are in the table; {table.V - found:,} rows have no count"
    )
    return counts, f"{said} and are taken for never seen"


def _count(path: Path, table: TokenTable, encode: Encode | None, progress: Progress) -> tuple[np.ndarray, str]:
    """Occurrences (V,) in a text, and a sentence about them."""
    counts = np.zeros(table.V, dtype=np.int64)
    words: Counter[str] = Counter()
    for text in _texts(path, progress):
        if encode is None:
            words.update(text.split())
        else:
            counts += np.bincount(np.asarray(encode(text), dtype=np.int64), minlength=table.V)[: table.V]
    if encode is not None:
        return counts, f"{int(counts.sum()):,} tokens of {path}, encoded with the table's tokenizer"
    for word, count in words.items():
        id_ = table.id_of.get(word)
        if id_ is not None:
            counts[id_] += count
    total = sum(words.values())
    share = counts.sum() / max(total, 1)
    return (
        counts,
        f"{total:,} words of {path}, cut at white space; {share:.0%} of them are tokens of the table as they stand",
    )


def _texts(path: Path, progress: Progress) -> Iterator[str]:
    """The lines of a text, many together. ConfigError where it is no UTF-8."""
    size, done, rest = path.stat().st_size, 0, b""
    with opened(path) as file:
        while data := file.read(PIECE):
            cut = data.rfind(b"\n") + 1 or data.rfind(b" ") + 1
            text, rest = (rest + data[:cut], data[cut:]) if cut else (b"", rest + data)
            if len(rest) > LONGEST:
                raise ConfigError(f"counts: {path} holds no line end and no space in {LONGEST >> 20} MB; give a text")
            yield _decoded(text, path, done)
            done += len(text)
            progress(f"counting {path.name}", min(taken(file), size), size)
    yield _decoded(rest, path, done)


def _decoded(data: bytes, path: Path, done: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        at = done + error.start
        raise ConfigError(f"counts: {path} is no UTF-8 (byte {data[error.start]:#04x} at {at:,}); mend it") from error
