"""Killed at any moment, a run resumes to the very weights and rows of one that was never killed."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runs.conftest import QUICK, TINY, assert_same_run, last_step, rows, run_folder, run_json, wait_for
from tests.server import Client, Finished, Running

Stop = Callable[..., Finished]


@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(signal.SIGINT, 130, marks=pytest.mark.slow),
        (signal.SIGTERM, 143),
        pytest.param(signal.SIGKILL, -9, marks=pytest.mark.slow),
    ],
    ids=lambda v: str(v),
)
def test_a_stopped_run_resumes_to_the_same_end(
    rowspace: Client, stop_at: Stop, finished: Path, tmp_path: Path, number: int, code: int
) -> None:
    stopped = stop_at(tmp_path, 17, number)
    assert stopped.code == code
    folder = run_folder(tmp_path)
    if number != signal.SIGKILL:
        assert run_json(folder)["status"] == "interrupted"
        assert "stopping after this step, with a checkpoint" in stopped.stderr
    resumed = rowspace("train", *TINY, cwd=tmp_path)
    assert resumed.code == 0, resumed.stderr
    assert "resuming after step" in resumed.stderr
    assert run_json(folder)["attempt"] == 2
    assert (folder / "train.log").read_text().count("LEARNED") == 1  # the ledger is of the start
    assert_same_run(folder, finished)


@pytest.mark.slow
def test_a_run_resumed_twice_in_one_epoch_and_across_epochs_ends_the_same(
    rowspace: Client, stop_at: Stop, tmp_path: Path
) -> None:
    short = (*QUICK, "data.size=60", "trainer.max_steps=60", "trainer.log_every=1")  # some 13 steps an epoch
    for cwd in ("often", "once"):
        (tmp_path / cwd).mkdir()
    for step in (2, 5, 33):
        assert stop_at(tmp_path / "often", step, signal.SIGTERM, *short).code == 143
    for cwd in ("often", "once"):
        done = rowspace("train", *short, cwd=tmp_path / cwd)
        assert done.code == 0, done.stderr
    assert_same_run(run_folder(tmp_path / "often"), run_folder(tmp_path / "once"))


@pytest.fixture(scope="module")
def unwatched(rowspace: Client, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the quick run, never interrupted."""
    cwd = tmp_path_factory.mktemp("unwatched")
    assert rowspace("train", *QUICK, cwd=cwd).code == 0
    return run_folder(cwd)


@pytest.mark.slow
def test_a_run_killed_before_its_first_checkpoint_starts_again(
    rowspace: Client, stop_at: Stop, unwatched: Path, tmp_path: Path
) -> None:
    assert stop_at(tmp_path, 0, signal.SIGKILL, *QUICK).code == -9
    assert rowspace("train", *QUICK, cwd=tmp_path).code == 0
    assert_same_run(run_folder(tmp_path), unwatched)


@pytest.mark.parametrize(
    "deaths",
    [
        # before step 1; at step 20, after the checkpoint of step 10; while later rows are cut away; of the best weights
        pytest.param(
            ("in_a_validation 1", "in_a_validation 3", "in_a_save metrics.jsonl 1", "in_a_validation 4"),
            marks=pytest.mark.slow,
        ),
        pytest.param(("in_a_validation 7",), marks=pytest.mark.slow),  # of the test split, after the last checkpoint
        ("in_a_save last.ckpt 1", "half_way_through_a_save last.ckpt 3"),
        pytest.param(("in_a_save best.ckpt 1", "half_way_through_a_save best.ckpt 2"), marks=pytest.mark.slow),
    ],
    ids=["validation", "test", "last checkpoint", "best checkpoint"],
)
def test_a_run_that_is_killed_while_it_validates_or_saves_resumes_to_the_same_end(
    rowspace: Client, unwatched: Path, tmp_path: Path, deaths: tuple[str, ...]
) -> None:
    for death in deaths:
        died = rowspace("train", *QUICK, cwd=tmp_path, before=f"tests.runs.deaths:{death}")
        assert died.code == -signal.SIGKILL, died.stderr
        folder = run_folder(tmp_path)
        assert run_json(folder)["status"] == "running"
        moment, name, *_ = death.split()
        halves = [path.name.startswith(f".{name}.") for path in folder.rglob(".*.tmp")]
        assert halves == ([True] if moment.endswith("save") else [])
    resumed = rowspace("train", *QUICK, cwd=tmp_path)
    assert resumed.code == 0, resumed.stderr
    assert_same_run(folder, unwatched)
    assert run_json(folder)["attempt"] == len(deaths) + 1
    assert list(folder.rglob("*.tmp")) == []
    logged = rows(folder)
    assert [row["trainer/global_step"] for row in logged if "train/loss" in row] == list(range(5, 41, 5))
    assert [row["trainer/global_step"] for row in logged if "val/loss" in row] == [0, 10, 20, 30, 40]


def test_two_of_one_configuration_at_once_are_one_that_trains_and_one_that_is_refused(
    rowspace: Client, tmp_path: Path
) -> None:
    both = [rowspace.start("train", *QUICK, cwd=tmp_path) for _ in range(2)]
    ends = sorted((each.wait() for each in both), key=lambda end: end.code)
    assert [end.code for end in ends] == [0, 1], ends[1].stderr
    assert "is being" in ends[1].stderr
    assert run_json(run_folder(tmp_path))["status"] == "finished"
    assert len(list((tmp_path / "outputs" / "default").iterdir())) == 1


@pytest.mark.slow
def test_ten_kills_at_random_moments_change_nothing(rowspace: Client, tmp_path: Path) -> None:
    long = ("trainer.max_steps=400", "trainer.checkpoint_every=7", "trainer.val_every=15", "logger.mode=disabled")
    (tmp_path / "once").mkdir()
    began = time.monotonic()
    assert rowspace("train", *TINY, *long, cwd=tmp_path / "once").code == 0
    took = time.monotonic() - began
    draw = random.Random(0)
    killed = tmp_path / "killed"
    killed.mkdir()
    for _ in range(10):
        running = rowspace.start("train", *TINY, *long, cwd=killed)
        _moves(running, killed, beyond=max(last_step(killed), 0))
        time.sleep(draw.random() * took / 12)
        running.kill(signal.SIGKILL)
        assert running.wait().code in (-9, 0)
    done = rowspace("train", *TINY, *long, cwd=killed)
    assert done.code == 0, done.stderr
    assert_same_run(run_folder(killed), run_folder(tmp_path / "once"))


def _moves(running: Running, cwd: Path, beyond: int) -> None:
    """Wait until it has taken up its work, which it need not say in a new row at once."""
    wait_for(lambda: last_step(cwd) > beyond or "resuming" in running.stderr or beyond == 0 <= last_step(cwd), running)
