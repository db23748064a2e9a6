"""word2vec text and binary: a line "V d", then V rows. Text rows are those of `lines.py`; fastText writes the same.

Binary: each row is the token's bytes, a space, and d float32 in little-endian order (Mikolov et al. 2013; the first
program writes a line feed behind each row, others do not). V and d are believed only as far as the file is long.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import BinaryIO

import numpy as np

from rowspace.errors import ConfigError, MachineError
from rowspace.foreign.base import Foreign, finish, require_memory
from rowspace.foreign.lines import layout_of, read_rows
from rowspace.foreign.reading import BOM, CHUNK, opened
from rowspace.probing.base import Progress, Tables
from rowspace.table import TokenTable
from rowspace.tokenization.byte_level import readable

HEADER = re.compile(rb"([0-9]{1,20}) ([0-9]{1,20}) ?\r?\n")
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
LONGEST = 1 << 20
"""Bytes of the longest token that is read."""


def recognise(head: bytes) -> bool:
    """Whether a file that begins like this is one: two whole numbers, and rows of another form behind them.

    "7 5" may also be the first row of a table of one column: then the next line has two fields as well.
    """
    found = HEADER.match(head)
    return found is not None and (int(found[2]) == 1 or len(_second_line(head).split()) != 2 or _is_binary(head))


def open_word2vec(path: Path, head: bytes, progress: Progress) -> Foreign:
    """Its one table, by the name "vectors"."""
    binary = _is_binary(head)
    name = "word2vec binary" if binary else "word2vec text"

    def read() -> TokenTable:
        with opened(path) as file:
            V, d = _sizes(file.readline(64).removeprefix(BOM), path)
            if binary:
                vectors, tokens, odd = _read_binary(file, V, d, path, progress)
                said = {"tokens that are not UTF-8": f"{odd:,}, their bytes written <0x..>"} if odd else {}
                return finish(vectors, tokens, where=path, about={"format": name, **said})
            layout = layout_of(_second_line(head), d=d)
            if layout is None:
                raise ConfigError(
                    f"{path}, line 2, is no row of {d:,} numbers behind a token; mend it or fetch it again"
                )
            _refuse_too_short(V, d, path)
            size = path.stat().st_size
            rows = read_rows(file, layout, where=path, first_line=2, size=size, progress=progress)
        if len(rows.tokens) != V:
            raise MachineError(f"{path} says that it holds {V:,} rows, and holds {len(rows.tokens):,}; fetch it again")
        if rows.goes_on(layout):
            raise ConfigError(
                f"{path} says {d:,} numbers a row in its first line, and its rows hold more; mend that line"
            )
        said = rows.said()
        return finish(rows.vectors(d), rows.tokens, where=path, about={"format": name, **said})

    return Foreign(path, name, Tables({"vectors": read}), "vectors")


def _sizes(line: bytes, path: Path) -> tuple[int, int]:
    """V and d of the first line, as far as the file could hold such a table."""
    found = HEADER.match(line)
    assert found is not None  # or the file would not be taken for this format
    V, d = int(found[1]), int(found[2])
    if V < 1 or d < 1:
        raise ConfigError(f"{path} says in its first line that it holds {V:,} rows of {d:,} numbers; give a table")
    return V, d


def _second_line(head: bytes) -> bytes:
    first = head.index(b"\n") + 1
    return head[first : head.find(b"\n", first) + 1 or len(head)]


def _is_binary(head: bytes) -> bool:
    """Whether floats follow: the second line ends with no numbers, and holds bytes that no text does."""
    found = HEADER.match(head)
    assert found is not None
    if layout_of(_second_line(head), d=int(found[2])) is not None:
        return False
    return CONTROL.search(head, found.end(), found.end() + 4096) is not None


def _read_binary(file: BinaryIO, V: int, d: int, path: Path, progress: Progress) -> tuple[np.ndarray, list[str], int]:
    """Vectors (V, d) float32, tokens, and how many tokens are not UTF-8."""
    width = 4 * d
    _refuse_too_short(V, d, path)
    require_memory(width * V, "the table")
    vectors = np.empty((V, d), dtype=np.float32)
    tokens: list[str] = []
    odd, held, at = 0, b"", 0
    for row in range(V):
        space = held.find(b" ", at)
        while space < 0 or len(held) < space + 1 + width:
            more = file.read(max(CHUNK, width))
            if not more:
                raise MachineError(f"{path} ends in row {row:,} of {V:,}: it was cut; fetch it again")
            held, at = held[at:] + more, 0
            space = held.find(b" ")
            if space < 0 and len(held) > LONGEST:
                raise MachineError(f"{path}: row {row:,} has no token that ends within 1 MB; fetch the file again")
        raw = held[at:space].removeprefix(b"\n")
        try:
            tokens.append(raw.decode())
        except UnicodeDecodeError:
            odd += 1
            tokens.append(readable(raw))
        vectors[row] = np.frombuffer(held, dtype="<f4", count=d, offset=space + 1)
        at = space + 1 + width
        if row % 10_000 == 0 or row == V - 1:
            progress(f"reading {path.name}", row + 1, V)
    if held[at:].strip(b"\n") or file.read(1).strip(b"\n"):
        raise MachineError(f"{path} goes on behind the {V:,} rows that its first line names; fetch it again")
    return vectors, tokens, odd


def _refuse_too_short(V: int, d: int, path: Path) -> None:
    """MachineError where V rows of d numbers cannot be in the file, gz or not, whatever its first line says."""
    size = path.stat().st_size
    if V * (2 * d + 1) > 1100 * size:  # a number takes two bytes at least, and no gz file grows more
        raise MachineError(
            f"{path} says that it holds {V:,} rows of {d:,} numbers, and has {size:,} bytes; fetch it again"
        )
