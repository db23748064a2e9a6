"""The smallest run that does everything, and how to look at what it left."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.server import Client, Finished, Running

TINY = (
    "data=synthetic",
    "data.size=400",
    "tokenizer=byte",
    "model.d=16",
    "model.layers=1",
    "model.heads=2",
    "model.n_ctx=32",
    "model.dropout=0.2",
    "schedule.warmup_steps=5",
    "trainer.threads=1",
    "trainer.batch_size=4",
    "trainer.max_steps=40",
    "trainer.log_every=5",
    "trainer.val_every=10",
    "trainer.checkpoint_every=10",
    "logger.mode=disabled",
    "probes.passes=4",
    "probes.maps=2",
)
"""Byte tokens, one block of width 16, dropout on, forty steps."""
LOGGED = tuple(word for word in TINY if word != "logger.mode=disabled")
"""The same run, in Weights & Biases too (offline)."""
QUICK = (*(word for word in TINY if not word.startswith("probes.")), "probes=none")
"""The same steps, and nothing is watched: two thirds of the time of the tiny run is its probes and figures."""


def run_folder(cwd: Path) -> Path:
    return (cwd / "outputs" / "latest").resolve()


def run_json(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "run.json").read_text())


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def weights(folder: Path, name: str = "last") -> dict[str, torch.Tensor]:
    return torch.load(folder / "checkpoints" / f"{name}.ckpt", weights_only=True)["state_dict"]


def assert_same_run(one: Path, other: Path) -> None:
    """Bit-equal weights, best and last, and the same rows but for what a clock says."""
    for name in ("last", "best"):
        first, second = weights(one, name), weights(other, name)
        assert first.keys() == second.keys()
        assert [key for key in first if not torch.equal(first[key], second[key])] == []
    clocks = {"train/tokens_per_second"}
    pairs = [[{k: v for k, v in row.items() if k not in clocks} for row in rows(each)] for each in (one, other)]
    assert pairs[0] == pairs[1]
    kept = [run_json(each) for each in (one, other)]
    assert kept[0]["status"] == kept[1]["status"] == "finished"
    metrics = [{k: v for k, v in each["metrics"].items() if k not in clocks} for each in kept]
    assert metrics[0] == metrics[1]


@pytest.fixture(scope="session")
def finished(rowspace: Client, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the tiny run, never interrupted. Shared: tests only read it."""
    cwd = tmp_path_factory.mktemp("finished")
    done = rowspace("train", *LOGGED, cwd=cwd)
    assert done.code == 0, done.stderr
    return run_folder(cwd)


@pytest.fixture
def stop_at(rowspace: Client) -> Callable[..., Finished]:
    """Start a run (the tiny one), send a signal once a step is logged, and wait for its end."""

    def stop(cwd: Path, step: int, number: int, *words: str, group: bool = False) -> Finished:
        running = rowspace.start("train", *(words or TINY), cwd=cwd)
        wait_for(lambda: last_step(cwd) >= step, running)
        running.kill(number, group=group)
        return running.wait()

    return stop


def last_step(cwd: Path) -> int:
    try:
        return rows(run_folder(cwd))[-1]["trainer/global_step"]
    except (OSError, IndexError, ValueError):
        return -1


def wait_for(condition: Callable[[], bool], running: Running, seconds: float = 120) -> None:
    """Until the condition holds; an error where the process ends or the time is up before."""
    deadline = time.monotonic() + seconds
    while not condition():
        try:
            running.kill(0)
        except ProcessLookupError:
            raise AssertionError(f"ended before\n{running.wait()}") from None
        if time.monotonic() > deadline:
            running.kill(signal.SIGKILL)
            raise TimeoutError(f"not reached in {seconds} s\n{running.stdout}\n{running.stderr}")
        time.sleep(0.002)
