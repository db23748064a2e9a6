"""Ends what the main thread does, from another thread: for a run that hangs, or whose other processes died.

A signal to the main thread's own id wakes it from system calls, and its handler raises there. A thread that is deep in
native code does not run handlers: after a grace the process is ended from outside, with its last words written first.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from rowspace.errors import RowspaceError
from rowspace.terminal import visible

SIGNAL = signal.SIGALRM
UNWINDING = 90.0
"""Seconds that closing files, sinks and processes may take once the error was raised."""
LAST_WORDS = 10.0
"""Seconds that writing the last words may take: the disk may be what hangs."""


class Interruption:
    """`end(error, grace)` of any thread raises `error` in the thread that runs the block, at once or at its next
    `check()`: an error that was raised in the middle of something can be swallowed there.

    `last_words(error)` is called before the process is ended; set it as soon as there is somebody to tell.
    """

    def __init__(self) -> None:
        self.last_words: Callable[[RowspaceError], None] = lambda error: None
        self._error: RowspaceError | None = None
        self._raised = threading.Event()
        self._over = threading.Event()
        self._thread = threading.get_ident()
        self._before: Any = None

    def __enter__(self) -> Interruption:
        self._thread = threading.get_ident()
        with contextlib.suppress(ValueError):  # not the main thread: check() alone raises
            self._before = signal.signal(SIGNAL, lambda number, frame: self.check())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._before is not None:
            signal.signal(SIGNAL, self._before)

    def check(self) -> None:
        """Raise the error that another thread asked for, if it did."""
        if self._error is not None and threading.get_ident() == self._thread:
            self._raised.set()
            raise self._error

    def end(self, error: RowspaceError, grace: float) -> None:
        """Ask for the error, and end the process where nothing comes of it in `grace` seconds. Returns when the block
        is over; called from a thread of its own."""
        if self._over.is_set() or self._error is not None:
            return
        self._error = error
        if self._before is not None:
            signal.pthread_kill(self._thread, SIGNAL)
        if self._raised.wait(grace) and self._over.wait(UNWINDING):
            return
        if not self._over.is_set():
            self._leave(error)

    def _leave(self, error: RowspaceError) -> None:
        writing = threading.Thread(target=self.last_words, args=(error,), daemon=True)
        writing.start()
        writing.join(LAST_WORDS)
        with contextlib.suppress(OSError, ValueError):
            print(visible(f"rowspace: {error} (stuck in native code: the process ends)"), file=sys.stderr, flush=True)
        os._exit(1)
