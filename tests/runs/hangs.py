"""Runs that hang: called in the process before it starts (`before=` of the server).

The watchdog is let loose when the run hangs, so that a busy machine, on which a phase takes long, changes nothing.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def in_a_step(number: str) -> None:
    """Sleep without end in the step of this number (1 is the first): Python, which a signal wakes."""
    _before_a_step(int(number), lambda: time.sleep(1e6))


def in_native_code(number: str) -> None:
    """In the step of this number wait for a lock in C that its holder, this very thread, never gives back."""
    import ctypes

    system, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)

    def wait() -> None:
        system.pthread_mutex_lock(mutex)
        system.pthread_mutex_lock(mutex)  # goes on waiting when a signal has come

    _before_a_step(int(number), wait)


def noting(file: str) -> None:
    """Hang nowhere, and write the phase of each move into a file."""
    from rowspace.training.stalling import Watchdog

    moved = Watchdog.moved

    def noted(self: Any) -> None:
        with Path(file).open("a") as notes:
            notes.write(f"{self._phase}\n")
        moved(self)

    Watchdog.moved = noted


def _before_a_step(number: int, hang: Callable[[], None]) -> None:
    from rowspace.training.stalling import Watchdog
    from rowspace.training.task import Task

    step, watch, numbers, hung = Task.training_step, Watchdog._watch, itertools.count(1), threading.Event()

    def hanging(self: Any, *told: Any) -> Any:
        if next(numbers) == number:
            hung.set()
            hang()
        return step(self, *told)

    def loose(self: Any, timeout: float) -> None:
        hung.wait()
        watch(self, timeout)

    Task.training_step, Watchdog._watch = hanging, loose
