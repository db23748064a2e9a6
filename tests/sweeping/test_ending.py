"""What a sweep says at its end."""

from __future__ import annotations

import pickle

import pytest

from rowspace.errors import MachineError, Stopped
from rowspace.sweeping.ending import complain


def test_jobs_that_failed_and_jobs_that_did_not_end_are_counted_apart() -> None:
    complain(["finished", "finished"])
    with pytest.raises(MachineError, match=r"^1 of 2 jobs failed; the others are finished$"):
        complain(["finished", "failed"])
    with pytest.raises(MachineError, match=r"^1 of 4 jobs failed, 2 did not end: the same command goes on there$"):
        complain(["failed", "interrupted", "left", "finished"])


def test_what_stopped_a_job_comes_whole_out_of_its_process() -> None:
    assert pickle.loads(pickle.dumps(Stopped(15))).exit_code == 143  # noqa: S301
