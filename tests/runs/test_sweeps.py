"""Sweeps of real runs: killed, widened, from three launchers, two at a time, with jobs that fail."""

from __future__ import annotations

import json
import os
import random
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.runs.conftest import TINY, last_step, run_json, wait_for, weights
from tests.server import Client

pytestmark = pytest.mark.slow

GRID = (
    *(
        word
        for word in TINY
        if not word.startswith(("probes.", "data.size", "trainer.max", "trainer.val", "trainer.ch"))
    ),
    "data.size=200",
    "trainer.max_steps=20",
    "trainer.val_every=20",
    "trainer.checkpoint_every=4",
    "probes=none",
    "logger.mode=disabled",
    "study=grid",
)


def folders(cwd: Path) -> dict[str, dict[str, Any]]:
    """run.json of every run folder of the study, by name."""
    return {path.parent.name: run_json(path.parent) for path in (cwd / "outputs" / "grid").glob("*/run.json")}


def finished(cwd: Path) -> int:
    try:
        return sum(run.get("status") == "finished" for run in folders(cwd).values())
    except ValueError:  # a file that is being replaced
        return 0


def has_reached(cwd: Path, jobs: int, step: int) -> bool:
    return finished(cwd) >= jobs and last_step(cwd) >= step


def table(stdout: str) -> list[tuple[str, ...]]:
    """Status, test value and own words of each row of the last table: all but what a clock says."""
    lines = stdout.split("\n\n")[-1].strip().splitlines()
    rows = [line.split() for line in lines if line.split()[0].isdecimal()]
    return [(row[1], *row[3:]) for row in rows]


def assert_bit_equal(one: Path, other: Path) -> None:
    assert sorted(folders(one)) == sorted(folders(other))
    for name in folders(one):
        first, second = (weights(cwd / "outputs" / "grid" / name) for cwd in (one, other))
        assert [key for key in first if not torch.equal(first[key], second[key])] == []


def test_a_sweep_killed_three_times_and_widened_ends_like_one_that_was_left_alone(
    rowspace: Client, tmp_path: Path
) -> None:
    killed, alone = tmp_path / "killed", tmp_path / "alone"
    killed.mkdir(), alone.mkdir()
    drawn = random.Random(5)
    narrow = ("train", "-m", *GRID, "position=rope,none", "seed=0,1,2,3,4,5")
    ended: dict[str, float] = {}
    for number in range(3):
        running = rowspace.start(*narrow, cwd=killed)
        reached = partial(has_reached, killed, 2 * (number + 1) + drawn.randrange(2), drawn.randrange(2, 18))
        wait_for(reached, running, 300)
        running.kill(signal.SIGKILL, group=True)
        assert running.wait().code == -signal.SIGKILL
        now = {name: run["ended"] for name, run in folders(killed).items() if run["status"] == "finished"}
        assert now.items() >= ended.items()
        ended = now
    wide = ("train", "-m", *GRID, "position=rope,none", "seed=0,1,2,3,4,5,6")
    done = rowspace(*wide, cwd=killed)
    assert done.code == 0, done.stderr
    reference = rowspace(*wide, cwd=alone)
    assert reference.code == 0, reference.stderr
    assert table(done.stdout) == table(reference.stdout)
    assert "LEARNED" not in reference.stdout + reference.stderr, "fourteen ledgers stand in fourteen reports"
    assert [row[0] for row in table(done.stdout)] == ["finished"] * 14
    assert_bit_equal(killed, alone)
    runs = folders(killed)
    assert {name: runs[name]["ended"] for name in ended} == ended
    assert sum(run["attempt"] for run in runs.values()) <= 14 + 3
    assert (killed / "outputs" / "grid" / "compare.html").exists()


def test_every_launcher_gives_the_same_table_and_the_same_weights(rowspace: Client, tmp_path: Path) -> None:
    launchers = {
        "basic": [],
        "joblib": ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"],
        "submitit": ["hydra/launcher=submitit_local"],
    }
    tables = {}
    for name, words in launchers.items():
        (tmp_path / name).mkdir()
        running = rowspace.start("train", "-m", *GRID, "trainer.threads=2", "seed=0,1", *words, cwd=tmp_path / name)
        done = running.wait()
        assert done.code == 0, done.stdout + done.stderr
        tables[name] = table(done.stdout)
        own = {run["pid"] == running.pid for run in folders(tmp_path / name).values()}
        assert own == {name == "basic"}, "other launchers run jobs in other processes"
        assert "training:" not in done.stderr or name == "basic"
    assert [row[0] for row in tables["basic"]] == ["finished", "finished"]
    assert tables["basic"] == tables["joblib"] == tables["submitit"]
    assert_bit_equal(tmp_path / "basic", tmp_path / "joblib")
    assert_bit_equal(tmp_path / "basic", tmp_path / "submitit")


def test_two_sweeps_started_together_share_jobs_and_a_cold_cache(rowspace: Client, tmp_path: Path) -> None:
    log = tmp_path / "built"
    words = ("train", "-m", *GRID, "tokenizer=bpe", "tokenizer.vocab_size=270,290,280")
    plan: dict[str, Any] = {"env": {"ROWSPACE_CACHE": str(tmp_path / "cache")}, "cwd": tmp_path}
    both = [rowspace.start(*words, **plan, before=f"tests.runs.plants:count_builds {log}") for _ in range(2)]
    done = [each.wait() for each in both]
    assert [each.code for each in done] == [0, 0], done
    assert table(done[0].stdout) == table(done[1].stdout)
    built = log.read_text().splitlines()
    assert len(built) == len(set(built))
    assert [line for line in built if line.startswith("bpe")] == ["bpe 290"]  # the smaller ones are cut from it
    assert [run["attempt"] for run in folders(tmp_path).values()] == [1, 1, 1]


def test_one_job_with_a_full_disk_one_without_its_service_and_one_with_a_bug_leave_the_others_whole(
    rowspace: Client, tmp_path: Path
) -> None:
    words = [*(word for word in GRID if word != "logger.mode=disabled"), "logger.mode=offline", "seed=0,1,2,3"]
    done = rowspace("train", "-m", *words, cwd=tmp_path, before="tests.runs.plants:four_fates")
    assert done.code == 1
    assert [row[0] for row in table(done.stdout)] == ["finished", "failed", "finished", "failed"]
    assert "1: cannot write" in done.stdout
    assert "3: ZeroDivisionError: planted (traceback: outputs/grid/sweep/" in done.stdout
    kept = [json.loads(path.read_text()) for path in (tmp_path / "outputs" / "grid" / "sweep").glob("*.json")]
    assert all((tmp_path / "outputs" / "grid" / one["traceback"]).exists() for one in kept if one["traceback"])
    assert "2 of 4 jobs failed; the others are finished" in done.stderr
    again = rowspace("train", "-m", *words, cwd=tmp_path)
    assert again.code == 0, again.stderr
    assert [row[0] for row in table(again.stdout)] == ["finished"] * 4


def test_a_job_that_hangs_is_ended_and_leaves_the_others_whole(rowspace: Client, tmp_path: Path) -> None:
    words = ("train", "-m", *GRID, "seed=0,1,2")
    hang = f"tests.runs.hangs:in_a_step {20 + 10}"  # of the second job
    done = rowspace(*words, "trainer.stall_timeout=20", cwd=tmp_path, before=hang)
    assert done.code == 1
    assert [row[0] for row in table(done.stdout)] == ["finished", "failed", "finished"]
    assert "nothing was done for 20 s (trainer.stall_timeout) after step 9" in done.stdout
    again = rowspace(*words, cwd=tmp_path)
    assert again.code == 0, again.stderr
    assert [row[0] for row in table(again.stdout)] == ["finished"] * 3
    assert sorted(run["attempt"] for run in folders(tmp_path).values()) == [1, 1, 2]


def test_a_sweep_of_other_processes_ends_with_a_table_when_it_is_terminated(rowspace: Client, tmp_path: Path) -> None:
    words = ("train", "-m", *GRID, "trainer.max_steps=4000", "trainer.val_every=4000", "seed=0,1,2")
    running = rowspace.start(*words, "hydra/launcher=joblib", "hydra.launcher.n_jobs=1", cwd=tmp_path)
    wait_for(lambda: last_step(tmp_path) >= 5, running, 300)
    running.kill(signal.SIGTERM)
    done = running.wait()
    assert done.code == 143
    assert [row[0] for row in table(done.stdout)] == ["interrupted", "left", "left"]
    (run,) = folders(tmp_path).values()
    with pytest.raises(ProcessLookupError):
        os.kill(run["pid"], 0)
