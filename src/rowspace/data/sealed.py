"""A sealed folder: arrays in plain binary files, and a header that knows their sizes and the checksum of every block.

Opening maps the files and checks the header, every size and a sample of blocks, so that it takes as long for a hundred
million tokens as for a thousand; `verify` reads every block. What the arrays mean is the caller's.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rowspace.errors import MachineError

HEADER = "header.json"
BLOCK = 1 << 18
"""Bytes that one checksum covers."""
SAMPLED = 4
"""Blocks of a file that are checked on open: the first, the last and some drawn anew each time."""


class DamagedError(MachineError):
    """A folder does not hold what its header says: `problem` in words, and what to delete where nobody mends it."""

    def __init__(self, problem: str, folder: Path) -> None:
        self.problem = problem
        super().__init__(f"{problem}; delete {folder}")


def seal(folder: Path, facts: Mapping[str, Any], files: Mapping[str, tuple[str, BlockFile]]) -> None:
    """Close the files and write the header: the caller's `facts`, and of each file its dtype, size and checksums."""
    kept = {name: {"dtype": dtype, **file.close()} for name, (dtype, file) in files.items()}
    header: dict[str, Any] = {**facts, "files": kept}
    header["header_sha256"] = header_hash(header)
    file = BlockFile(folder / HEADER)
    file.write(json.dumps(header).encode())
    file.close()


def unseal(folder: Path, what: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The facts and the arrays of a folder, mapped and checked.

    FileNotFoundError where there is none; DamagedError, naming what to delete, where it is not what was written.
    """
    header = _header(folder, what)
    for name, kept in header["files"].items():
        problem = _check_file(folder / f"{name}.bin", kept, whole=False)
        if problem is not None:
            raise DamagedError(f"the cached {what} is damaged ({problem})", folder)
    arrays = {name: _map_array(folder / f"{name}.bin", kept["dtype"]) for name, kept in header["files"].items()}
    return header, arrays


def verify(folder: Path, what: str) -> list[str]:
    """Everything wrong with a folder, every block read: one sentence each, none where it is whole."""
    try:
        header, _ = unseal(folder, what)
    except (DamagedError, FileNotFoundError) as error:
        return [str(error)]
    found = [_check_file(folder / f"{name}.bin", kept, whole=True) for name, kept in header["files"].items()]
    return [f"the cached {what} is damaged ({problem}); delete {folder}" for problem in found if problem is not None]


def header_hash(value: Mapping[str, Any]) -> str:
    """Hash of a plain dict, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _header(folder: Path, what: str) -> dict[str, Any]:
    """The header, checked against its own hash."""
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no {what} at {folder}")
    try:
        header = json.loads((folder / HEADER).read_bytes())
        whole = header.pop("header_sha256") == header_hash(header)
    except (FileNotFoundError, ValueError, KeyError, AttributeError, TypeError):
        whole = False
    if not whole:
        raise DamagedError(f"the cached {what} is damaged ({HEADER} is not what was written)", folder)
    return header


class BlockFile:
    """A file that is written from start to end, with a checksum for every block of it."""

    def __init__(self, path: Path) -> None:
        self.size = 0
        self._sums: list[int] = []
        self._file: BinaryIO = path.open("xb")

    def write(self, data: bytes | memoryview) -> None:
        """Append; `data` are bytes."""
        view = memoryview(data).cast("B")
        self._file.write(view)
        while len(view):
            used = self.size % BLOCK
            part = view[: BLOCK - used]
            if used:
                self._sums[-1] = zlib.crc32(part, self._sums[-1])
            else:
                self._sums.append(zlib.crc32(part))
            self.size += len(part)
            view = view[len(part) :]

    def close(self) -> dict[str, Any]:
        """Flush to the disk; what a header keeps of the file."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return {"size": self.size, "crc32": self._sums}

    def abandon(self) -> None:
        """Close without flushing to the disk."""
        with contextlib.suppress(OSError):
            self._file.close()


def _check_file(path: Path, kept: dict[str, Any], *, whole: bool) -> str | None:
    """What is wrong with a block file, None where nothing is: its size, and sampled or all blocks."""
    size = path.stat().st_size if path.exists() else -1
    if size != kept["size"]:
        return f"{path.name} is missing" if size < 0 else f"{path.name} has {size} bytes instead of {kept['size']}"
    sums = kept["crc32"]
    chosen = range(len(sums))
    if not whole and len(sums) > SAMPLED:
        drawn = random.SystemRandom().sample(range(1, len(sums) - 1), SAMPLED - 2)
        chosen = [0, *sorted(drawn), len(sums) - 1]
    with path.open("rb") as file:
        for block in chosen:
            file.seek(block * BLOCK)
            if zlib.crc32(file.read(BLOCK)) != sums[block]:
                return f"{path.name} has other bytes than were written, near byte {block * BLOCK}"
    return None


def _map_array(path: Path, dtype: str) -> np.ndarray:
    """The file as a read-only flat array, paged in as it is used."""
    if not path.stat().st_size:
        return np.empty(0, dtype=dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r"))
