"""The server that the end-to-end tests stand on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.server import Client


def test_a_command_line_runs_in_its_own_folder_with_its_own_environment(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("doctor", "format=json", "caches=false", cwd=tmp_path, env={"OMP_NUM_THREADS": "7"})
    assert done.code == 0
    assert "OMP_NUM_THREADS=7" in done.stdout
    assert str(tmp_path / "outputs") in done.stdout or str(tmp_path) in done.stdout
    assert os.environ.get("OMP_NUM_THREADS") != "7"


def test_exit_code_and_both_streams_come_back(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("train", "modle.d=3", cwd=tmp_path)
    assert (done.code, done.stdout) == (2, "")
    assert "did you mean model.d?" in done.stderr


def test_something_can_be_made_to_go_wrong_in_the_process_of_one_command_line(rowspace: Client, tmp_path: Path) -> None:
    assert rowspace("--version", cwd=tmp_path, before="os:abort").code == -signal.SIGABRT
    assert rowspace("--version", cwd=tmp_path, before="os:putenv A B").code == 0
    assert rowspace("--version", cwd=tmp_path).code == 0


def test_a_command_line_can_be_killed_and_others_go_on(rowspace: Client, tmp_path: Path) -> None:
    waiting = rowspace.start("train", "--help", cwd=tmp_path, env={"PYTHONBREAKPOINT": "0"})
    waiting.kill(signal.SIGSTOP)
    assert rowspace("--version", cwd=tmp_path).code == 0
    waiting.kill(signal.SIGKILL)
    assert waiting.wait(30).code == -signal.SIGKILL


def test_what_takes_too_long_is_ended_and_said(rowspace: Client, tmp_path: Path) -> None:
    waiting = rowspace.start("train", "--help", cwd=tmp_path)
    waiting.kill(signal.SIGSTOP)
    with pytest.raises(TimeoutError, match=r"not finished in 0\.2 s"):
        waiting.wait(0.2)


def test_no_command_line_reaches_a_network(rowspace: Client, tmp_path: Path) -> None:
    code = rowspace("train", "data=hub", "data.path=owner/name", "logger.mode=disabled", cwd=tmp_path).code
    assert code in (1, 2)
