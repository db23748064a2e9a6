"""Bytes of a file that a person named: opened with one sentence for whatever is in the way, gz taken as what is in it.

Knows no format. A gz file that blows up beyond what a table of numbers could is refused while it is read.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from rowspace import textfile
from rowspace.errors import ConfigError, MachineError

GZ = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
HEAD = 1 << 20
"""Bytes by which a format is known."""
CHUNK = 1 << 23
"""Bytes that are read at once."""
LARGEST_JSON = 1 << 28
"""Bytes of a JSON file that are read: tokenizers of a million pieces take a quarter of it."""
INFLATES = 50
"""Times that a gz file may grow; numbers written out grow two or three times."""
FREE = 1 << 26
"""Bytes that a gz file may grow to whatever its size."""


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked where it is gz. ConfigError where it is no file, MachineError where it is damaged."""
    if not path.is_file():
        raise ConfigError(f"{path} {'is no regular file' if path.exists() else 'does not exist'}; give a file")
    try:
        with path.open("rb") as file:
            packed = file.read(2) == GZ
            file.seek(0)
            if not packed:
                yield file
                return
            limit = max(FREE, INFLATES * path.stat().st_size)
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield io.BufferedReader(_Bounded(unpacked, file, path, limit), CHUNK)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise MachineError(f"{path} is a damaged gz file ({error}); fetch it again") from error
    except PermissionError as error:
        raise MachineError(f"{path} may not be read; its permissions forbid it") from error


class _Bounded(io.RawIOBase):
    """Reads on until more has come out than a table could hold."""

    def __init__(self, file: gzip.GzipFile, packed: BinaryIO, path: Path, limit: int) -> None:
        super().__init__()
        self.packed = packed
        self._file, self._path, self._left = file, path, limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise ConfigError(f"{self._path} unpacks to more than {INFLATES} times its size, which no table does")
        buffer[: len(data)] = data
        return len(data)


def head(path: Path) -> bytes:
    """The first bytes of the file, unpacked, without the mark that some programs put before UTF-8."""
    with opened(path) as file:
        return file.read(HEAD).removeprefix(BOM)


def taken(file: BinaryIO) -> int:
    """Bytes that were read of what lies on the disk, packed or not."""
    raw = getattr(file, "raw", None)
    return raw.packed.tell() if isinstance(raw, _Bounded) else file.tell()


def is_packed(path: Path) -> bool:
    """Whether the file is gz."""
    with path.open("rb") as file:
        return file.read(2) == GZ


def read_text(path: Path) -> str:
    """A text file as a whole. ConfigError where it is too large for one or no UTF-8."""
    with opened(path) as file:
        data = file.read(LARGEST_JSON + 1)
    if len(data) > LARGEST_JSON:
        raise ConfigError(f"{path} is larger than {LARGEST_JSON >> 20} MB, which no vocabulary is")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 (byte {data[error.start]:#04x} at {error.start}); mend it") from error


def read_json(path: Path) -> Any:
    """What a JSON file holds. ConfigError where it is none."""
    return json_of(read_text(path), path)


def json_of(text: str, path: Path) -> Any:
    """What a JSON text holds. ConfigError where it is none, or is nested without end."""
    try:
        return textfile.json_of(text)
    except textfile.UnreadableError as error:
        raise ConfigError(f"{path} is no JSON ({error}); mend it") from error


def whole_lines(file: BinaryIO, path: Path, line: int, told: Callable[[], None]) -> Iterator[tuple[int, bytes]]:
    """(number of the first line, lines) in blocks, each line with its end; `told` is called once a block is read."""
    rest = b""
    while data := file.read(CHUNK):
        told()
        cut = data.rfind(b"\n") + 1
        if cut:
            block = rest + data[:cut]
            yield line, block
            line += block.count(b"\n")
            rest = data[cut:]
        else:
            rest += data
        if len(rest) > 8 * CHUNK:
            raise ConfigError(f"{path}, line {line}, has no end within {8 * CHUNK >> 20} MB; give a table of text")
    if rest:
        yield line, rest
