"""An error that another thread wants raised is raised in the thread that runs the block, and nowhere else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import rowspace
from rowspace.errors import MachineError
from rowspace.training.interrupting import SIGNAL, Interruption


def test_the_main_thread_is_woken_and_raises() -> None:
    before = signal.getsignal(SIGNAL)
    interruption = Interruption()
    ending = threading.Thread(target=interruption.end, args=(MachineError("enough"), 60.0))

    def wait() -> None:
        with interruption:
            ending.start()
            threading.Event().wait(60.0)

    with pytest.raises(MachineError, match="enough"):
        wait()
    ending.join(60.0)
    assert not ending.is_alive()
    assert signal.getsignal(SIGNAL) == before


def test_other_threads_are_left_alone() -> None:
    interruption = Interruption()
    raised: list[BaseException] = []

    def check() -> None:
        try:
            interruption.check()
        except MachineError as error:
            raised.append(error)

    with interruption:
        interruption._error = MachineError("enough")
        other = threading.Thread(target=check)
        other.start()
        other.join()
        assert raised == []
        check()
    assert [str(error) for error in raised] == ["enough"]


def test_after_the_block_nothing_is_raised() -> None:
    with Interruption() as interruption:
        pass
    interruption.end(MachineError("too late"), 0.0)
    interruption.check()
    assert interruption._error is None


def test_a_thread_that_no_signal_reaches_ends_with_the_process() -> None:
    program = """
import signal, threading
from rowspace.errors import MachineError
from rowspace.training.interrupting import SIGNAL, Interruption
with Interruption() as interruption:
    interruption.last_words = lambda error: print("last words:", error, flush=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, [SIGNAL])
    threading.Thread(target=interruption.end, args=(MachineError("enough"), 0.1), daemon=True).start()
    threading.Event().wait()
"""
    env = {**os.environ, "PYTHONPATH": str(Path(rowspace.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, env=env)
    assert done.returncode == 1
    assert done.stdout == "last words: enough\n"
    assert "rowspace: enough (stuck in native code" in done.stderr
