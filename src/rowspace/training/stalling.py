"""Ends a run that does nothing any more: `trainer.stall_timeout`.

What counts as something is what the parts of a run tell by themselves: a phase begins or ends, a step or a scored batch
is over, a reader or a fit reports. Time in which the process itself was stopped (Ctrl-Z, a suspended machine) does not
count. A run that hangs while it holds Python's own lock cannot be ended from within.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

from rowspace.errors import MachineError, RowspaceError
from rowspace.runfolder import RunFolder
from rowspace.training.interrupting import Interruption

LOOKS = 8
"""Looks at the run within its timeout."""
LONGEST_GRACE = 30.0
"""Seconds, at most, that native code gets to come back; less where the timeout itself is shorter."""


class StalledError(MachineError):
    """Nothing was done for longer than `trainer.stall_timeout`."""


class Watchdog:
    """Watches the block that it is entered for, where `timeout` (seconds) is a number.

    `moved()`, `phase_begins(name)`, `step_done(step)` and `saved(step)` are told by the run; they raise in its thread
    what was raised before and swallowed. `folder` is where the reason is written if the process has to be ended.
    `helpless` is called when the run is ended: it frees it from waiting for somebody else.
    """

    def __init__(self, timeout: float | None = None) -> None:
        self.interruption = Interruption()
        self.interruption.last_words = self._write
        self.folder: RunFolder | None = None
        self.helpless: Callable[[], None] = lambda: None
        self._timeout = timeout
        self._phase = "start"
        self._step: int | None = None
        self._saved: int | None = None
        self._moves = 0
        self._over = threading.Event()

    def __enter__(self) -> Watchdog:
        self.interruption.__enter__()
        if self._timeout is not None:
            threading.Thread(target=self._watch, args=(self._timeout,), name="watchdog", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self.interruption.__exit__(kind, error, trace)

    def moved(self) -> None:
        """Something was done."""
        self._moves += 1
        self.interruption.check()

    def phase_begins(self, name: str) -> None:
        """The run goes on to something else."""
        self._phase = name or f"after {self._phase}"
        self.moved()

    def step_done(self, step: int) -> None:
        self._step = step
        self.moved()

    def saved(self, step: int) -> None:
        """There is a checkpoint to go on from."""
        self._saved = step

    def _watch(self, timeout: float) -> None:
        tick = timeout / LOOKS
        idle, seen, before = 0.0, self._moves, time.monotonic()
        while not self._over.wait(tick):
            now = time.monotonic()
            idle, before = idle + min(now - before, 2 * tick), now
            if self._moves != seen:
                idle, seen = 0.0, self._moves
            elif idle >= timeout:
                self._end(timeout)
                return

    def _end(self, timeout: float) -> None:
        error = StalledError(self._sentence(timeout))
        ending = threading.Thread(
            target=self.interruption.end, args=(error, min(timeout, LONGEST_GRACE)), name="ending", daemon=True
        )
        ending.start()
        self.helpless()

    def _sentence(self, timeout: float) -> str:
        after = "before the first step" if self._step is None else f"after step {self._step}"
        again = "starts it again" if self._saved is None else f"resumes after step {self._saved}"
        return (
            f"nothing was done for {timeout:g} s (trainer.stall_timeout) {after}, in phase {self._phase!r}; "
            f"the same command {again}"
        )

    def _write(self, error: RowspaceError) -> None:
        if self.folder is not None:
            self.folder.update(status="failed", ended=time.time(), error=f"{type(error).__name__}: {error}")
