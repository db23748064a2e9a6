"""Rows of a text table: a token, then d numbers, one row a line; the token may hold spaces itself.

Lines end at a line feed and nowhere else (tokens hold U+0085 and U+2028, at which Python's `splitlines` cuts), fields
end at a space or a tab and nowhere else (tokens hold U+00A0). The last d fields are the numbers. Blocks of 8 MB are cut
with numpy and their numbers read by pyarrow; only a block that holds a broken line is looked at line by line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

from rowspace.errors import ConfigError
from rowspace.figures.tokens import show
from rowspace.foreign.base import require_memory
from rowspace.foreign.reading import BOM, taken, whole_lines
from rowspace.probing.base import Progress
from rowspace.tokenization.byte_level import readable

SPACE, TAB, END = 32, 9, 10


@dataclass
class Rows:
    """What was read so far: token strings, and their vectors in parts."""

    tokens: list[str] = field(default_factory=list)
    parts: list[np.ndarray] = field(default_factory=list)
    odd: int = 0
    """Tokens that are not UTF-8."""
    ends: bool = True
    """Whether the last line ends with a line end."""

    def vectors(self, d: int) -> np.ndarray:
        """(V, d) float32; gives the parts up while it copies them, so that memory holds one and a bit of the table."""
        require_memory(4 * d * len(self.tokens), "the table")
        whole = np.empty((len(self.tokens), d), dtype=np.float32)
        end = len(whole)
        while self.parts:
            part = self.parts.pop()
            whole[end - len(part) : end] = part
            end -= len(part)
        return whole

    def goes_on(self, layout: Layout) -> bool:
        """Whether a number stands behind nearly every token: rows are wider than the d that was given."""
        ends = (token.rsplit(chr(layout.separator), 1)[1:] for token in self.tokens)
        return sum(bool(end and _is_number(end[0].encode())) for end in ends) > 0.9 * len(self.tokens)

    def said(self) -> dict[str, str]:
        """What is odd about them, for the table's source."""
        found = {}
        if self.odd:
            found["tokens that are not UTF-8"] = f"{self.odd:,}, their bytes written <0x..>"
        if not self.ends:
            found["last line"] = "has no line end: the file may have been cut there"
        return found


@dataclass(frozen=True)
class Layout:
    """How fields stand in the lines of a file, as its first row has them."""

    d: int
    separator: int
    crlf: bool


def layout_of(line: bytes, *, d: int | None = None) -> Layout | None:
    """The layout of a first row; d is the number of fields at its end that are numbers. None where it is no row."""
    crlf = line.endswith(b"\r\n")
    line = line.rstrip(b"\r\n")
    for separator in (b"\t", b" "):
        fields = line.rstrip(separator).split(separator)
        numbers = 0
        while numbers < len(fields) - 1 and _is_number(fields[-1 - numbers]):
            numbers += 1
        if numbers and (d is None or numbers >= d):
            return Layout(d or numbers, separator[0], crlf)
    return None


def read_rows(file: BinaryIO, layout: Layout, *, where: Path, first_line: int, size: int, progress: Progress) -> Rows:
    """Every row from here to the end of the file. ConfigError names the first line that is none."""
    rows = Rows()

    def told() -> None:
        progress(f"reading {where.name}", min(taken(file), size), size)

    empty = 0
    for line, block in whole_lines(file, where, first_line, told):
        rows.ends = block.endswith(b"\n")
        block = block.removeprefix(BOM) if line == 1 else block
        block = _without_ragged_ends(block, layout)
        body = block.rstrip(b"\n")
        if empty and body:
            raise ConfigError(f"{where}, line {empty}, is empty; delete it or fetch the file again")
        if len(block) > len(body) + 1 or not body:
            empty = empty or line + body.count(b"\n") + bool(body)
        if body:
            _read_block(body + b"\n", layout, rows, where, line)
    return rows


def _read_block(block: bytes, layout: Layout, rows: Rows, where: Path, line: int) -> None:
    """Add the rows of whole lines, of which the first has the number `line`."""
    letters = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(letters == END)
    starts = np.concatenate([[0], ends[:-1] + 1])
    marks = np.flatnonzero(letters == layout.separator)
    until = np.searchsorted(marks, ends)
    if (until - np.searchsorted(marks, starts) < layout.d).any():
        raise _broken(block, layout, where, line)
    cuts = marks[until - layout.d]
    # the numbers alone: everything from a line's start to its cut is left out
    inside = np.zeros(len(letters) + 1, dtype=np.int8)
    inside[starts] = 1
    inside[cuts + 1] -= 1
    numbers = letters[np.cumsum(inside[:-1], dtype=np.int8) == 0].tobytes()
    vectors = _numbers(numbers, layout, len(starts))
    if vectors is None:
        raise _broken(block, layout, where, line)
    rows.parts.append(vectors)
    for start, cut in zip(starts.tolist(), cuts.tolist(), strict=True):
        rows.tokens.append(_token(block[start:cut], rows))


def _token(raw: bytes, rows: Rows) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        rows.odd += 1
        return readable(raw)


def _without_ragged_ends(block: bytes, layout: Layout) -> bytes:
    """The lines with a bare line feed behind the last number; some programs write a space there."""
    if layout.crlf:
        block = block.replace(b"\r\n", b"\n")
    mark = bytes([layout.separator])
    while mark + b"\n" in block:
        block = block.replace(mark + b"\n", b"\n")
    return block


def _numbers(text: bytes, layout: Layout, rows: int) -> np.ndarray | None:
    """(rows, d) float32 from lines of d numbers; None where a field is none."""
    import pyarrow
    from pyarrow import csv

    names = [str(column) for column in range(layout.d)]
    try:
        found = csv.read_csv(
            pyarrow.BufferReader(text),
            read_options=csv.ReadOptions(column_names=names, use_threads=False, block_size=max(len(text), 1)),
            parse_options=csv.ParseOptions(delimiter=chr(layout.separator), quote_char=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pyarrow.float32()), null_values=[], strings_can_be_null=False
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    if found.num_rows != rows:
        return None
    return np.stack([column.to_numpy() for column in found.columns], axis=1)


def _broken(block: bytes, layout: Layout, where: Path, line: int) -> ConfigError:
    """The sentence for the first line of the block that is no row."""
    mark = bytes([layout.separator])
    for number, row in enumerate(block.split(b"\n")[:-1], start=line):
        fields = row.rsplit(mark, layout.d)
        wrong = [one for one in fields[1:] if not _is_number(one)]
        begins = show(readable(row[:60]))
        right = f"a row is a token and {layout.d} numbers, as the first one is; mend the file or fetch it again"
        if not row:
            return ConfigError(f"{where}, line {number}, is empty; delete it or fetch the file again")
        if len(fields) <= layout.d:
            return ConfigError(
                f"{where}, line {number} ({begins}), has {len(fields) - 1} fields behind its first; {right}"
            )
        if wrong:
            return ConfigError(f"{where}, line {number} ({begins}), holds {show(readable(wrong[0][:60]))}; {right}")
    return ConfigError(f"{where}, lines {line} and later, hold numbers that cannot be read; mend the file")


def _is_number(field_: bytes) -> bool:
    try:
        float(field_)
    except ValueError:
        return False
    return b"_" not in field_ and field_ == field_.strip()
