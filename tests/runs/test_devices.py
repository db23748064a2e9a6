"""Two processes that train one model make the run that one makes with twice the micro-batches, and end with it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.runs.conftest import TINY, assert_same_run, last_step, rows, run_folder, run_json, wait_for, weights
from tests.server import Client

TWO = (*TINY, "trainer.devices=2", "probes.audits=2")
DRY = ("model.dropout=0", "trainer.log_every=1")


def descendants(pid: int) -> list[int]:
    """Processes that this one started and that still run, with theirs."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *descendants(child)]
    return found


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def numbers(folder: Path) -> Iterator[tuple[str, float | None]]:
    """Every logged number but what a clock says."""
    for row in rows(folder):
        for key, value in row.items():
            if key != "train/tokens_per_second":
                yield f"{key} at step {row['trainer/global_step']}", value


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("head.tie=false", "body=lstm", "position=none")], ids=["decoder", "lstm untied"])
def test_two_devices_make_the_run_of_one_with_two_micro_batches(
    rowspace: Client, tmp_path: Path, more: tuple[str, ...]
) -> None:
    folders: list[Path] = []
    for name, how in {"two": ("trainer.devices=2",), "one": ("trainer.devices=1", "trainer.accumulate=2")}.items():
        (tmp_path / name).mkdir()
        done = rowspace("train", *TWO, *DRY, *more, *how, cwd=tmp_path / name)
        assert done.code == 0, done.stderr
        assert len(list((tmp_path / name / "outputs" / "default").iterdir())) == 1
        folders.append(run_folder(tmp_path / name))
    two, one = folders
    assert run_json(two)["hash"] != run_json(one)["hash"]  # sums are in another order
    pairs = list(zip(numbers(two), numbers(one), strict=True))
    assert sum("train/loss" in key for (key, _), _ in pairs) == 40
    assert sum("val/loss at" in key for (key, _), _ in pairs) == 5
    assert any(key.startswith("updates/E/") for (key, _), _ in pairs)
    for (key, mine), (other, theirs) in pairs:
        assert key == other
        assert mine == (None if theirs is None else pytest.approx(theirs, rel=1e-5, abs=1e-6)), key
    for key, value in weights(two).items():
        torch.testing.assert_close(value, weights(one)[key], rtol=1e-5, atol=1e-6)
    costs = [run_json(folder)["cost"] for folder in folders]
    summed = ("tokens_seen", "bytes_seen", "flops_per_step", "tokens_per_step", "flops_per_token", "steps")
    assert {key: costs[0][key] for key in summed} == {key: costs[1][key] for key in summed}
    assert costs[0]["tokens_seen"] == 2 * 4 * 32 * 40


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)], ids=["TERM", "KILL"])
def test_two_devices_stop_together_and_go_on_to_the_same_end(
    rowspace: Client, tmp_path: Path, number: int, code: int
) -> None:
    for name in ("stopped", "whole"):
        (tmp_path / name).mkdir()
    stopped = rowspace.start("train", *TWO, cwd=tmp_path / "stopped")  # with dropout: a stream a rank
    wait_for(lambda: last_step(tmp_path / "stopped") >= 15, stopped)
    started = descendants(stopped.pid)
    assert started
    stopped.kill(number)
    assert stopped.wait().code == code
    if number == signal.SIGTERM:
        assert run_json(run_folder(tmp_path / "stopped"))["status"] == "interrupted"
    wait_until_gone(started)
    for name in ("stopped", "whole"):
        done = rowspace("train", *TWO, cwd=tmp_path / name)
        assert done.code == 0, done.stderr
    assert_same_run(run_folder(tmp_path / "stopped"), run_folder(tmp_path / "whole"))
    states = states_of(run_folder(tmp_path / "whole"))
    assert len(states["others"]) == 1
    assert states["others"][0]["torch"] != states["torch"].tolist()


def wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + 60
    while any(map(lives, pids)):
        assert time.monotonic() < deadline, f"{pids} outlive the process that started them"
        time.sleep(0.02)


def states_of(folder: Path) -> dict[str, Any]:
    return torch.load(folder / "checkpoints" / "last.ckpt", weights_only=True)["callbacks"]["RandomStates"]


@pytest.mark.slow
def test_a_rank_that_dies_ends_the_run_in_a_sentence(rowspace: Client, tmp_path: Path) -> None:
    running = rowspace.start("train", *TWO, "trainer.max_steps=100000", cwd=tmp_path)
    wait_for(lambda: last_step(tmp_path) >= 5, running)
    (child,) = descendants(running.pid)
    os.kill(child, signal.SIGKILL)
    ended = running.wait()
    assert ended.code == 1
    assert "rowspace train: the process of rank 1 was killed by signal 9; the same command again" in ended.stderr
    found = run_json(run_folder(tmp_path))
    assert found["status"] == "failed"
    assert "rank 1 was killed by signal 9" in found["error"]


def test_devices_that_cannot_share_their_work_are_refused(rowspace: Client, tmp_path: Path) -> None:
    wrong = ("trainer.strategy=fsdp", "trainer.devices=2", "optimizer=sparse_adam")
    refused = rowspace("train", *TINY, *wrong, cwd=tmp_path)
    assert refused.code == 2
    assert "trainer.strategy: fsdp was given with trainer.accelerator=auto, and it needs a GPU" in refused.stderr
    assert "wrapped together or be untied" in refused.stderr
    assert "trainer.devices: 2 was given with optimizer=sparse_adam" in refused.stderr
    assert not (tmp_path / "outputs").exists()


def test_a_process_that_somebody_started_with_others_must_fit_them(rowspace: Client, tmp_path: Path) -> None:
    refused = rowspace("train", *TINY, cwd=tmp_path, env={"RANK": "1", "WORLD_SIZE": "2"})
    assert refused.code == 2
    assert "trainer.devices: 1 was given, and 2 processes were started together" in refused.stderr


@pytest.mark.slow
def test_processes_that_torchrun_started_are_one_run(rowspace: Client, tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    where = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    for _ in range(2):  # the second time it is finished already
        both = [rowspace.start("train", *TWO, cwd=tmp_path, env={**where, "RANK": rank}) for rank in ("0", "1")]
        ends = [each.wait() for each in both]
        assert [end.code for end in ends] == [0, 0], [end.stderr for end in ends]
        assert ends[1].stdout == ""
    assert "is finished already" in ends[0].stderr
    assert run_json(run_folder(tmp_path))["status"] == "finished"
    assert run_json(run_folder(tmp_path))["attempt"] == 1
