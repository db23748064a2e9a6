"""Starts the processes of the ranks beside rank 0, notices when one dies, and leaves none behind.

They are told the run's typed configuration on their standard input, which stays open as long as rank 0 lives: where it
ends, however it was killed, they end too. What they print is kept for the sentence about their death.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from typing import IO, Any

from rowspace.errors import MachineError, RowspaceError
from rowspace.training.ranks import Ranks
from rowspace.training.stalling import Watchdog

PROGRAM = "from rowspace.commands.train import follow; follow()"
LOOK_EVERY = 0.5
"""Seconds between two looks at the others."""
GRACE = 5.0
"""Seconds in which rank 0 finds out by itself, or is stopped by the same cause, before it is interrupted."""
TAIL = 2000
"""Last characters of what a dead process said that are looked at."""


@contextlib.contextmanager
def started(ranks: Ranks, run: Mapping[str, Any], watchdog: Watchdog) -> Iterator[None]:
    """The other ranks of `run` (plain values, for `follow` of the command) work as long as the block does.

    Nothing where there are none, or somebody else started them. MachineError where one of them died: rank 0 is
    interrupted if it does not notice, and they die where it stalls.
    """
    if ranks.count == 1 or ranks.started_by_others:
        yield
        return
    others = Others(ranks, run)
    watchdog.helpless = others.kill
    threading.Thread(target=others.watch, args=(watchdog,), name="ranks", daemon=True).start()
    try:
        yield
    except Exception as error:
        watchdog.interruption.check()
        dead = None if isinstance(error, RowspaceError) else others.first_death(wait=2.0)
        if dead is None:
            raise
        raise dead from error
    finally:
        others.end()


class Others:
    """The ranks beside rank 0, each a process of this machine."""

    def __init__(self, ranks: Ranks, run: Mapping[str, Any]) -> None:
        self._ranks = ranks
        self._kept = contextlib.ExitStack()
        self._closing = threading.Event()
        self._processes: dict[int, tuple[subprocess.Popen[bytes], IO[bytes]]] = {}
        try:
            port = ranks.open_door()
            for rank in range(1, ranks.count):
                self._start(rank, {"rank": rank, "count": ranks.count, "port": port, **run})
        except BaseException:
            self.end()
            raise

    def _start(self, rank: int, told: dict[str, Any]) -> None:
        said: IO[bytes] = self._kept.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        command = [sys.executable, "-P", "-c", PROGRAM]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said)
        self._processes[rank] = (process, said)
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it is dead, which is found out
            process.stdin.write(json.dumps(told).encode() + b"\n")
            process.stdin.flush()

    def watch(self, watchdog: Watchdog) -> None:
        """Until the end: interrupt rank 0 where another one has died and rank 0 does not notice, in native code say."""
        while not self._closing.wait(LOOK_EVERY):
            if self.first_death() is None:
                continue
            if self._closing.wait(GRACE):
                return
            if (dead := self.first_death()) is None:
                return
            watchdog.interruption.end(dead, GRACE)
            return

    def first_death(self, wait: float = 0.0) -> MachineError | None:
        """A sentence about the first of them that has failed within `wait` seconds, if one has."""
        for _ in range(max(1, round(wait / 0.1))):
            for rank, (process, said) in self._processes.items():
                if process.poll() and not self._ranks.parted:
                    return MachineError(_sentence(rank, process.returncode, said))
            if wait and self._closing.wait(0.1):
                return None
        return None

    def kill(self) -> None:
        """Let those that still run die now: rank 0 comes back from what it does together with them."""
        for process, _ in self._processes.values():
            process.kill()

    def end(self) -> None:
        """Let those that still run end, and wait for them."""
        self._closing.set()
        for process, _ in self._processes.values():
            assert process.stdin is not None
            with contextlib.suppress(OSError):
                process.stdin.close()
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._kept.close()


def _sentence(rank: int, code: int, said: IO[bytes]) -> str:
    how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
    said.seek(0, os.SEEK_END)
    said.seek(max(0, said.tell() - TAIL))
    lines = said.read().decode(errors="replace").strip().splitlines()
    why = f": {lines[-1]}" if lines else ""
    return f"the process of rank {rank} {how}{why}; the same command again goes on from the last checkpoint"


def end_with(pipe: int) -> None:
    """In one of the others: end this process as soon as rank 0, which holds the other end of the pipe, is gone."""

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(pipe, 1):
                pass
        os._exit(1)

    threading.Thread(target=wait, name="rank 0", daemon=True).start()
