"""Content-addressed folders: built once under a lock, renamed into place whole, checked on open.

What a folder holds is its caller's: `stream.py` keeps token streams, `store.py` downloaded texts (`sealed.py` is how).
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout

from rowspace.data.base import Progress
from rowspace.data.sealed import DamagedError
from rowspace.errors import MachineError

LOG = logging.getLogger("rowspace.data")
Opened = TypeVar("Opened")
LOOK_EVERY = 1.0
"""Seconds between two words on another process that builds."""


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
    with contextlib.suppress(DamagedError, FileNotFoundError):
        return open_(folder)
    with _on_disk(folder.parent, what):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with _lock(folder, what, progress):
        try:
            return open_(folder)
        except FileNotFoundError:
            pass
        except DamagedError as damage:
            LOG.warning("%s: it is built anew", damage.problem)
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
    with _on_disk(folder.parent, what):
        while not lock.is_locked:
            try:
                lock.acquire(timeout=LOOK_EVERY)
            except Timeout:  # an OSError, which must not be taken for the disk's
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
        why = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        advice = "set ROWSPACE_CACHE to another folder"
        raise MachineError(f"the {what} cannot be kept in {folder} ({why}); {advice}") from error


def _sync(folder: Path) -> None:
    """Make a rename last through a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
