"""Who may write a run folder: one of two that ask, nobody beside a living run, and the dead are taken up."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from rowspace import claim as claiming
from rowspace.claim import choose, claim, is_alive, status
from rowspace.errors import ConfigError, MachineError, Stopped
from rowspace.runfolder import RunFolder

FORK = multiprocessing.get_context("fork")


def _train(path: Path, *, finish: bool = True, error: BaseException | None = None) -> None:
    with claim(path, hash="full-hash", wait=False, study="s") as folder:
        if error is not None:
            raise error
        if finish:
            folder.update(status="finished", metrics={"val/bpb": 1.5})


def _hold(path: Path, held: Any, release: Any) -> None:
    with claim(path, hash="full-hash", wait=False) as folder:
        held.set()
        release.wait(30)
        folder.update(status="finished")


class _Elsewhere:
    """Another process that holds the folder."""

    def __init__(self, path: Path) -> None:
        self.held, self.release = FORK.Event(), FORK.Event()
        self.process = FORK.Process(target=_hold, args=(path, self.held, self.release))
        self.process.start()
        assert self.held.wait(30)

    def end(self) -> None:
        self.release.set()
        self.process.join(30)


def test_a_new_run_is_running_while_it_is_held_and_keeps_what_it_said(tmp_path: Path) -> None:
    path = tmp_path / "study" / "run"
    with claim(path, hash="full-hash", wait=False, study="study") as folder:
        run = RunFolder(path).run
        assert (run["status"], run["attempt"], run["hash"], run["study"]) == ("running", 1, "full-hash", "study")
        assert run["host"]
        assert abs(run["heartbeat"] - time.time()) < 30
        assert is_alive(folder)
        folder.update(status="finished")
    assert status(RunFolder(path)) == "finished"


def test_a_living_run_is_refused_with_its_host_and_heartbeat(tmp_path: Path) -> None:
    other = _Elsewhere(tmp_path / "run")
    host = RunFolder(tmp_path / "run").run["host"]
    with pytest.raises(MachineError, match=rf"is being trained by {host} \(last heartbeat \d+ s ago\); wait for it"):
        _train(tmp_path / "run")
    other.end()
    assert RunFolder(tmp_path / "run").run["attempt"] == 1


def test_a_job_of_a_sweep_waits_for_a_living_run_and_takes_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    other = _Elsewhere(tmp_path / "run")

    def sleep(seconds: float) -> None:
        looks.append(seconds)
        other.end()

    monkeypatch.setattr(claiming.time, "sleep", sleep)
    with claim(tmp_path / "run", hash="full-hash", wait=True) as folder:
        assert folder.run["status"] == "finished"
    assert len(looks) == 1


def test_of_two_that_start_at_once_one_is_refused(tmp_path: Path) -> None:
    results = FORK.Queue()
    start = FORK.Barrier(2)

    def contend() -> None:
        start.wait(30)
        try:
            with claim(tmp_path / "run", hash="full-hash", wait=False) as folder:
                time.sleep(0.5)
                folder.update(status="finished")
            results.put("trained")
        except MachineError as error:
            results.put(str(error))

    processes = [FORK.Process(target=contend) for _ in range(2)]
    for process in processes:
        process.start()
    found = sorted(results.get(timeout=30) for _ in processes)
    for process in processes:
        process.join(30)
    assert found[1] == "trained"
    assert "is being" in found[0]


def test_a_killed_run_is_interrupted_at_once_on_this_host_and_taken_up(tmp_path: Path) -> None:
    other = _Elsewhere(tmp_path / "run")
    assert other.process.pid is not None
    os.kill(other.process.pid, signal.SIGKILL)
    other.process.join(30)
    assert RunFolder(tmp_path / "run").run["status"] == "running"
    assert status(RunFolder(tmp_path / "run")) == "interrupted"
    _train(tmp_path / "run")
    assert RunFolder(tmp_path / "run").run["attempt"] == 2


@pytest.mark.parametrize(("age", "expected"), [(5.0, "running"), (3600.0, "interrupted")])
def test_a_run_of_another_host_lives_as_long_as_its_heart_beats(tmp_path: Path, age: float, expected: str) -> None:
    said = {"hash": "full-hash", "status": "running", "host": "elsewhere", "heartbeat": time.time() - age}
    (tmp_path / "run.json").write_text(json.dumps(said))
    assert status(RunFolder(tmp_path)) == expected
    if expected == "running":
        with pytest.raises(MachineError, match="is being trained by elsewhere"):
            _train(tmp_path)
    else:
        _train(tmp_path)


def test_the_heart_beats_while_the_run_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claiming, "BEAT_EVERY", 0.01)
    with claim(tmp_path / "run", hash="full-hash", wait=False) as folder:
        first = folder.run["heartbeat"]
        deadline = time.monotonic() + 30
        while RunFolder(folder.path).run["heartbeat"] == first and time.monotonic() < deadline:
            time.sleep(0.01)
        assert RunFolder(folder.path).run["heartbeat"] > first


def test_another_configuration_behind_the_same_name_is_refused(tmp_path: Path) -> None:
    _train(tmp_path / "run-12345678")
    with (
        pytest.raises(ConfigError, match="holds a run of another configuration; choose another study"),
        claim(tmp_path / "run-12345678", hash="other-hash", wait=False),
    ):
        pass


def test_a_named_folder_that_holds_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ConfigError, match=r"holds other things \(thesis.tex\)"):
        _train(tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_a_finished_run_comes_back_untouched(tmp_path: Path) -> None:
    _train(tmp_path / "run")
    before = (tmp_path / "run" / "run.json").read_bytes()
    with claim(tmp_path / "run", hash="full-hash", wait=False, study="t") as folder:
        assert folder.run["metrics"] == {"val/bpb": 1.5}
    assert (tmp_path / "run" / "run.json").read_bytes() == before


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Stopped(signal.SIGTERM), "interrupted"),
        (KeyboardInterrupt(), "interrupted"),
        (ConfigError("diverged"), "failed"),
    ],
)
def test_a_run_that_raises_says_how_it_ended(tmp_path: Path, error: BaseException, expected: str) -> None:
    with pytest.raises(type(error)):
        _train(tmp_path / "run", error=error)
    run = RunFolder(tmp_path / "run").run
    assert run["status"] == expected
    assert type(error).__name__ in run["error"]
    _train(tmp_path / "run")
    assert (RunFolder(tmp_path / "run").run["attempt"], RunFolder(tmp_path / "run").run["error"]) == (2, None)


def test_what_a_killed_writer_left_is_swept_away(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        _train(tmp_path / "run", error=KeyboardInterrupt())
    (tmp_path / "run" / "checkpoints").mkdir()
    for name in (".run.json.1a2b.tmp", "checkpoints/.last.ckpt.3c4d.tmp"):
        (tmp_path / "run" / name).write_bytes(b"half")
    _train(tmp_path / "run")
    assert list((tmp_path / "run").rglob("*.tmp")) == []


def test_rerun_trains_beside_what_is_finished_and_takes_up_what_is_not(tmp_path: Path) -> None:
    path = tmp_path / "run"
    assert choose(path, rerun=True) == path
    _train(path)
    assert choose(path, rerun=False) == path
    second = choose(path, rerun=True)
    assert second == tmp_path / "run-2"
    with pytest.raises(Stopped):
        _train(second, error=Stopped(signal.SIGINT))
    assert choose(path, rerun=True) == second
    _train(second)
    assert choose(path, rerun=True) == tmp_path / "run-3"
