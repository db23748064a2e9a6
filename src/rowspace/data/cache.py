"""Content-addressed folders: built once under a lock, renamed into place whole, checked on open.

What a folder holds is its caller's: `stream.py` keeps token streams, `hub.py` downloaded texts.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import random
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from filelock import FileLock, Timeout

from rowspace.data.base import Progress
from rowspace.errors import MachineError

LOG = logging.getLogger("rowspace.data")
BLOCK = 1 << 18
"""Bytes that one checksum covers."""
SAMPLED = 4
"""Blocks of a file that are checked on open: the first, the last and some drawn anew each time."""

Opened = TypeVar("Opened")


class Damaged(MachineError):
    """A cached folder does not hold what its header says."""


def cache_root() -> Path:
    """`$ROWSPACE_CACHE`, else `outputs/.cache` under the working directory."""
    return Path(os.environ.get("ROWSPACE_CACHE") or Path("outputs", ".cache"))


def build_once(
    folder: Path,
    *,
    build: Callable[[Path], None],
    open_: Callable[[Path], Opened],
    what: str,
    progress: Progress | None = None,
) -> Opened:
    """What `open_(folder)` gives, after `build` has filled the folder if it is not there.

    `build` fills a temporary folder beside it, which is renamed when it is whole: readers never see half of one, and
    of several processes one builds and the others wait. A damaged folder is built anew, and the log says so.
    MachineError when the disk is full or not writable; nothing half-written stays.
    """
    with contextlib.suppress(Damaged, FileNotFoundError):
        return open_(folder)
    with _on_disk(folder.parent, what):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with _lock(folder, what, progress):
        try:
            return open_(folder)
        except FileNotFoundError:
            pass
        except Damaged as damage:
            LOG.warning("%s: it is built anew", damage)
        with _on_disk(folder.parent, what):
            _build(folder, build)
        return open_(folder)


def _build(folder: Path, build: Callable[[Path], None]) -> None:
    """Fill a temporary folder and put it in place; the caller holds the lock, so that older ones are leftovers."""
    for leftover in folder.parent.glob(f".building-{folder.name}-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    temporary = folder.parent / f".building-{folder.name}-{os.getpid()}"
    try:
        temporary.mkdir()
        build(temporary)
        if folder.exists():
            os.replace(folder, folder.parent / f".building-{folder.name}-damaged")
        os.replace(temporary, folder)
        _sync(folder.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(folder.parent / f".building-{folder.name}-damaged", ignore_errors=True)


@contextlib.contextmanager
def _lock(folder: Path, what: str, progress: Progress | None) -> Iterator[None]:
    """The lock of this folder; while another process builds it, `progress` says so."""
    lock = FileLock(folder.parent / f"{folder.name}.lock")
    waited = 0
    while True:
        try:
            with _on_disk(folder.parent, what):
                lock.acquire(timeout=1)
            break
        except Timeout:
            waited += 1
            if progress is not None:
                progress(f"another process builds the {what}", waited, 0)
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _on_disk(folder: Path, what: str) -> Iterator[None]:
    """Failures of the disk as one sentence each."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            advice = "free some space, or set ROWSPACE_CACHE to a folder on another disk"
            raise MachineError(f"the disk is full: the {what} does not fit into {folder}; {advice}") from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise MachineError(f"{folder} is not writable; set ROWSPACE_CACHE to a folder that is") from error
        raise


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


def check_file(path: Path, kept: dict[str, Any], *, whole: bool) -> str | None:
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


def map_array(path: Path, dtype: str) -> np.ndarray:
    """The file as a read-only flat array, paged in as it is used."""
    if not path.stat().st_size:
        return np.empty(0, dtype=dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r"))


def _sync(folder: Path) -> None:
    """Make a rename last through a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
