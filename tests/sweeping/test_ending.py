"""What a sweep says at its end."""

from __future__ import annotations

import pickle
import signal
from typing import Any

import pytest

from rowspace.errors import MachineError, Stopped
from rowspace.sweeping import ending
from rowspace.sweeping.ending import complain


def test_jobs_that_failed_and_jobs_that_did_not_end_are_counted_apart() -> None:
    complain(["finished", "finished"])
    with pytest.raises(MachineError, match=r"^1 of 2 jobs failed; the others are finished$"):
        complain(["finished", "failed"])
    with pytest.raises(MachineError, match=r"^1 of 4 jobs failed, 2 did not end: the same command goes on there$"):
        complain(["failed", "interrupted", "left", "finished"])


def test_what_stopped_a_job_comes_whole_out_of_its_process() -> None:
    assert pickle.loads(pickle.dumps(Stopped(15))).exit_code == 143  # noqa: S301


def test_a_signal_lets_jobs_elsewhere_save_before_it_unwinds_their_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def end(number: int, frame: Any) -> None:
        told.append("unwound")
        raise Stopped(number)

    before = signal.signal(signal.SIGTERM, end)
    board: Any = None
    try:
        monkeypatch.setattr(ending, "stop", lambda board, sweep: told.append(f"saved {sweep}"))
        with pytest.raises(Stopped), ending.gently(board, "token"):
            signal.raise_signal(signal.SIGTERM)
        assert told == ["saved token", "unwound"]
        assert signal.getsignal(signal.SIGTERM) is end

        monkeypatch.setattr(ending, "stop", lambda board, sweep: signal.raise_signal(signal.SIGTERM))
        with pytest.raises(Stopped), ending.gently(board, "token"):
            signal.raise_signal(signal.SIGTERM)
        assert told[2:] == ["unwound"]

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with ending.gently(board, "token"):
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
