"""Who may write a run folder: creation, the lock, the heartbeat, and what a folder that is already there means.

On one host the system's lock settles it, since it dies with its process. Between hosts that share a disk the heartbeat
does: a pid means nothing on another machine. Knows nothing of what a run does.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from rowspace.errors import ConfigError, MachineError, Stopped
from rowspace.runfolder import FORMAT, STALE_AFTER, RunFolder, machine_errors, write_atomically

BEAT_EVERY = 10.0
"""Seconds between heartbeats."""
LOOK_EVERY = 2.0
"""Seconds between two looks of a sweep's job at a run that another process trains."""
OURS = ("lock", "train.log")
"""What may lie in a folder that no run has claimed yet."""


class HeldError(MachineError):
    """Somebody else is running this run."""


def is_alive(folder: RunFolder) -> bool:
    """Whether somebody is running this run: the lock is held here, or a fresh heartbeat came from another host."""
    if folder.run.get("status") != "running":
        return False
    if folder.run.get("host") != socket.gethostname():
        return _is_fresh(folder)
    try:
        with FileLock(folder.path / "lock").acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # a folder that we may only read
        return _is_fresh(folder)


def _is_fresh(folder: RunFolder) -> bool:
    beat = folder.run.get("heartbeat")
    return isinstance(beat, float) and time.time() - beat < STALE_AFTER


def status(folder: RunFolder) -> str:
    """running, finished, failed or interrupted; a run that nobody runs any more is interrupted, whatever it says."""
    said = str(folder.run.get("status", "interrupted"))
    return "interrupted" if said == "running" and not is_alive(folder) else said


def choose(path: Path, *, rerun: bool) -> Path:
    """The folder to train in: `path`; with rerun, the first of path-2, path-3, ... neither finished nor held."""
    if not rerun:
        return path
    number, candidate = 1, path
    while (candidate / "run.json").exists() and status(RunFolder(candidate)) in ("finished", "running"):
        number += 1
        candidate = path.with_name(f"{path.name}-{number}")
    return candidate


@contextlib.contextmanager
def claim(
    path: Path, *, hash: str, wait: bool, waits: Callable[[], None] = lambda: None, **fields: Any
) -> Iterator[RunFolder]:
    """Hold the run folder at `path`, made if it is not there, for as long as the block runs.

    Of two processes that ask at once one gets it; the other is told who has it (MachineError), or with `wait` gets it
    afterwards, calling `waits()` meanwhile. A folder of another configuration is refused (ConfigError). `fields` go
    into run.json beside host, heartbeat, attempt and started. A finished run's folder comes back untouched: the caller
    sees `run["status"]`. A block that raises leaves the run failed or interrupted, with the reason.
    """
    lock, folder = _acquire(path, hash=hash, fields=fields, waits=waits if wait else None)
    try:
        if folder.run["status"] == "finished":
            yield folder
            return
        with _beating(folder):
            try:
                yield folder
            except BaseException as error:
                _close(folder, error)
                raise
    finally:
        lock.release()


def _acquire(
    path: Path, *, hash: str, fields: dict[str, Any], waits: Callable[[], None] | None
) -> tuple[FileLock, RunFolder]:
    while True:
        try:
            return _try(path, hash=hash, fields=fields)
        except HeldError:
            if waits is None:
                raise
            waits()
            time.sleep(LOOK_EVERY)


def _try(path: Path, *, hash: str, fields: dict[str, Any]) -> tuple[FileLock, RunFolder]:
    """The lock and the folder, or HeldError."""
    with machine_errors("make the run folder", path):
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / "lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise HeldError(_holder(path)) from None
    try:
        return lock, _open(path, hash=hash, fields=fields)
    except BaseException:
        lock.release()
        raise


def _open(path: Path, *, hash: str, fields: dict[str, Any]) -> RunFolder:
    """The folder whose lock we hold, marked as running by us unless it is finished."""
    for leftover in path.rglob(".*.tmp"):  # of a process killed while it wrote
        leftover.unlink(missing_ok=True)
    if not (path / "run.json").exists():
        strangers = sorted(entry.name for entry in path.iterdir() if entry.name not in OURS and entry.name[0] != ".")
        if strangers:
            right = "name an empty folder or a new one"
            raise ConfigError(f"hydra.run.dir: {path} holds other things ({strangers[0]}); {right}")
        write_atomically(path / "run.json", f'{{"hash": "{hash}", "format": {FORMAT}, "attempt": 0}}'.encode())
    folder = RunFolder(path)
    if folder.run.get("hash") != hash:
        raise ConfigError(f"study: {path} holds a run of another configuration; choose another study=NAME")
    elsewhere = folder.run.get("host") != socket.gethostname()  # whose lock may not reach us
    if folder.run.get("status") == "running" and elsewhere and _is_fresh(folder):
        raise HeldError(_holder(path))
    if folder.run.get("status") != "finished":
        attempt = int(folder.run.get("attempt", 0)) + 1
        now = time.time()
        started = folder.run.get("started", now)
        state = {"status": "running", "host": socket.gethostname(), "pid": os.getpid(), "heartbeat": now}
        folder.update(**fields, **state, attempt=attempt, started=started, ended=None, error=None)
    return folder


def _close(folder: RunFolder, error: BaseException) -> None:
    """Say in run.json how the run ended; a disk that refuses even that must not hide the first error."""
    if folder.run["status"] == "finished":  # only its page is missing
        return
    ended = "interrupted" if isinstance(error, (KeyboardInterrupt, Stopped)) else "failed"
    with contextlib.suppress(MachineError):
        folder.update(status=ended, ended=time.time(), error=f"{type(error).__name__}: {error}")


def _holder(path: Path) -> str:
    """Who has the folder, in a sentence."""
    try:
        run = RunFolder(path).run
    except (ConfigError, MachineError):
        return f"{path} is being started by another process; wait for it, or train under another study=NAME"
    ago = max(0, round(time.time() - run.get("heartbeat", time.time())))
    who = f"{run.get('host', 'another process')} (last heartbeat {ago} s ago)"
    return f"{path} is being trained by {who}; wait for it, or train beside it with rerun=true"


@contextlib.contextmanager
def _beating(folder: RunFolder) -> Iterator[None]:
    """Write the heartbeat from a thread, so that a long phase (a tokenizer's fit) does not look like death."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT_EVERY):
            with contextlib.suppress(MachineError):  # a full disk is reported where results are written
                folder.beat()

    thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
