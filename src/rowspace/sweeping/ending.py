"""The end of a sweep, however it comes: jobs elsewhere end or are named, the table is printed, failures have a code."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rowspace.errors import MachineError
from rowspace.sweeping.recording import stop_file
from rowspace.sweeping.status import Board, table
from rowspace.terminal import put, visible

GRACE = 20.0
"""Seconds that jobs in other processes have to save a checkpoint when their sweep is interrupted."""


@contextlib.contextmanager
def ending(board: Board, sweep: str, *, elsewhere: bool, finish: Callable[[Path], None]) -> Iterator[None]:
    """Around the jobs of a sweep, which run `elsewhere` or in this process. `finish` is called for each study.

    MachineError where jobs failed or were left undone; an interruption goes on as it is.
    """
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception) and elsewhere:
            stop(board, sweep)
        show(board)
        board.refresh(board.jobs.rows())
        raise
    show(board)
    rows = board.jobs.rows()
    for study in sorted({board.jobs.of(row.id).study for row in rows if row.folder is not None}):
        finish(study)
    complain([row.status for row in rows])


@contextlib.contextmanager
def gently(board: Board, sweep: str) -> Iterator[None]:
    """Around a launcher whose jobs run elsewhere: a signal lets them save before it unwinds the launcher, which may
    kill them at once (joblib). Once more stops at once."""
    before: dict[int, Any] = {}

    def hear(number: int, frame: Any) -> None:
        handler = before[number]
        give_back()
        stop(board, sweep)
        handler(number, frame)

    def give_back() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    with contextlib.suppress(ValueError):  # not in the main thread
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(handler := signal.getsignal(number)):
                signal.signal(number, hear)
                before[number] = handler
    try:
        yield
    finally:
        give_back()


def show(board: Board) -> None:
    """The table, on stdout."""
    rows = board.jobs.rows()
    if rows:
        lines = ["", *table(rows, lambda row: board.jobs.of(row.id))]
        put("\n".join(visible(line) for line in lines), sys.stdout)


def stop(board: Board, sweep: str) -> None:
    """Jobs of this sweep in other processes end with a checkpoint; those that have not begun will not."""
    rows = board.jobs.rows()
    for records in {board.jobs.of(row.id).folder: board.jobs.of(row.id) for row in rows}.values():
        with contextlib.suppress(OSError):
            stop_file(records, sweep).touch()
    here = [row for row in rows if row.status == "running" and (row.sweep, row.host) == (sweep, socket.gethostname())]
    for row in here:
        if row.pid and row.pid != os.getpid():
            with contextlib.suppress(OSError):
                os.kill(row.pid, signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    while here and time.monotonic() < deadline:
        time.sleep(0.1)
        here = [
            row
            for row in here
            if board.jobs.of(row.id).standing(board.jobs.of(row.id).read(row.id)).status == "running"
        ]


def complain(states: Sequence[str]) -> None:
    """MachineError where a job did not finish."""
    failed, finished = states.count("failed"), states.count("finished")
    undone = len(states) - failed - finished
    if undone:
        raise MachineError(
            f"{failed} of {len(states)} jobs failed, {undone} did not end: the same command goes on there"
        )
    if failed:
        raise MachineError(f"{failed} of {len(states)} jobs failed; the others are finished")
