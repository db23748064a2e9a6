"""Weights & Biases holds what the run folder holds, read back from the offline file by wandb's own command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.runs.conftest import LOGGED, last_step, rows, run_folder, run_json, wait_for
from tests.server import Client

UNWATCHED = (*(word for word in LOGGED if not word.startswith("probes.")), "probes=none")
WANDB = Path(sys.executable).with_name("wandb")


def records(folder: Path) -> list[dict[str, Any]]:
    """Every record of a run's only .wandb file."""
    (file,) = (folder / "wandb").glob("offline-run-*/*.wandb")
    told = subprocess.run([WANDB, "leet", "inspect", "--json", file], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in told.stdout.splitlines()]


def history(found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (record["history"]["item"] for record in found if record["type"] == "history")


@pytest.fixture(scope="module")
def logged(finished: Path) -> list[dict[str, Any]]:
    return records(finished)


def test_every_scalar_is_there_at_its_step(finished: Path, logged: list[dict[str, Any]]) -> None:
    there: dict[int, dict[str, Any]] = {}
    for item in history(logged):
        there.setdefault(item["trainer/global_step"], {}).update(item)
    for row in rows(finished):
        same = there[row["trainer/global_step"]]
        assert {key: same.get(key) for key in row} == row


def test_the_summary_is_the_final_metrics(finished: Path, logged: list[dict[str, Any]]) -> None:
    summary: dict[str, Any] = {}
    for record in logged:
        summary |= record.get("summary", {}).get("update", {})
    metrics = run_json(finished)["metrics"]
    assert {key: summary.get(key) for key in metrics} == metrics


def test_the_five_knobs_are_columns_and_the_study_is_the_group(finished: Path, logged: list[dict[str, Any]]) -> None:
    config: dict[str, Any] = {}
    for record in logged:
        for part in (record.get("run", {}).get("config", {}), record.get("config", {})):
            config |= part.get("update", {})
    assert config["tokenizer"] == {"name": "byte", "vocab_size": 257, "special_tokens": ["<eos>"]}
    assert (config["model"]["d"], config["position"]["name"], config["head"]["tie"]) == (16, "rope", True)
    assert config["logger"]["mode"] == "offline"
    run = next(record["run"] for record in logged if record["type"] == "run")
    assert run["run_group"] == "default"
    assert run["tags"] == ["tokenizer=byte", "body=decoder", "position=rope", "V=257", "d=16", "tied"]
    assert run["run_id"] == run_json(finished)["wandb"]["id"]


def test_steps_are_carried_by_a_key_of_their_own(logged: list[dict[str, Any]]) -> None:
    defined = [record["metric"] for record in logged if record["type"] == "metric"]
    assert {"glob_name": "*", "step_metric": "trainer/global_step"}.items() <= defined[-1].items()


def test_neighbour_tables_with_verdicts_and_figures_are_there_for_each_evaluation(
    finished: Path, logged: list[dict[str, Any]]
) -> None:
    tables = [item for item in history(logged) if "tables/neighbours._type" in item or "tables/neighbours" in item]
    files = sorted((finished / "wandb").glob("offline-run-*/files/media/table/tables/neighbours*.json"))
    assert len(files) == len(tables) > 1
    assert "verdict" in json.loads(files[-1].read_text())["columns"]
    assert list((finished / "wandb").glob("offline-run-*/files/media/plotly/figures/*.json"))


def test_tokenizer_and_best_checkpoint_are_artifacts(finished: Path, logged: list[dict[str, Any]]) -> None:
    artifacts = {record["artifact"]["type"]: record["artifact"] for record in logged if record["type"] == "artifact"}
    paths = {entry["path"] for entry in artifacts["tokenizer"]["manifest"]["contents"]}
    assert "tokenizer.json" in paths
    (checkpoint,) = artifacts["model"]["manifest"]["contents"]
    assert Path(checkpoint["local_path"]).resolve() == finished / "checkpoints" / "best.ckpt"


@pytest.mark.slow
def test_nothing_is_staged_outside_the_run_folder(rowspace: Client, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    done = rowspace("train", *LOGGED, "trainer.max_steps=2", cwd=tmp_path, env={"HOME": str(home)})
    assert done.code == 0, done.stderr
    assert [path for path in home.rglob("*") if path.is_file()] == []


@pytest.mark.slow
def test_eight_jobs_of_a_sweep_are_eight_runs(rowspace: Client, tmp_path: Path) -> None:
    grid = ("position=none,sinusoidal,learned,rope", "head.tie=true,false", "trainer.max_steps=2", "probes=none")
    tiny = tuple(word for word in LOGGED if not word.startswith(("probes.", "trainer.max_steps")))
    done = rowspace("train", "-m", *tiny, *grid, "study=grid", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert "Weights & Biases" not in done.stderr, done.stderr
    folders = [path for path in (tmp_path / "outputs" / "grid").iterdir() if (path / "run.json").exists()]
    assert len(folders) == 8
    ids = set()
    for folder in folders:
        run = run_json(folder)
        assert run["status"] == "finished"
        (file,) = (folder / "wandb").glob("offline-run-*/*.wandb")
        assert file.name == f"run-{run['wandb']['id']}.wandb"
        ids.add(run["wandb"]["id"])
        assert sum(1 for _ in history(records(folder))) >= 2
    assert len(ids) == 8


@pytest.mark.slow
def test_a_failed_run_is_closed_as_failed_and_the_next_job_is_clean(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("train", "-m", *UNWATCHED, "optimizer.lr=1e30,0.001", "trainer.max_steps=10", cwd=tmp_path)
    assert done.code == 1
    folders = [path for path in (tmp_path / "outputs" / "default").iterdir() if (path / "run.json").exists()]
    by_status = {run_json(folder)["status"]: folder for folder in folders}
    assert set(by_status) == {"failed", "finished"}
    for status, code in (("failed", 2), ("finished", 0)):
        ends = [record["exit"] for record in records(by_status[status]) if record["type"] == "exit"]
        assert [end.get("exit_code", 0) for end in ends] == [code]


@pytest.mark.slow
def test_a_dead_wandb_service_is_one_warning_and_no_failed_run(rowspace: Client, tmp_path: Path) -> None:
    running = rowspace.start("train", *UNWATCHED, "trainer.max_steps=400", "trainer.val_every=200", cwd=tmp_path)
    wait_for(lambda: last_step(tmp_path) >= 5, running)
    for child in Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split():
        if "wandb-core" in Path(f"/proc/{child}/cmdline").read_text():
            os.kill(int(child), signal.SIGKILL)
    done = running.wait()
    assert done.code == 0, done.stderr
    assert done.stderr.count("Weights & Biases") == 1
    assert run_json(run_folder(tmp_path))["status"] == "finished"


@pytest.mark.parametrize(
    "key", [pytest.param("", id="no key"), pytest.param("a" * 40, id="no network", marks=pytest.mark.slow)]
)
def test_online_without_a_key_or_a_network_goes_on_offline_with_one_warning(
    rowspace: Client, tmp_path: Path, key: str
) -> None:
    env = {"WANDB_API_KEY": key, "WANDB_BASE_URL": "http://127.0.0.1:9"}
    short = ("trainer.max_steps=2", "logger.mode=online")
    done = rowspace("train", *UNWATCHED, *short, cwd=tmp_path, env=env)
    assert done.code == 0, done.stderr
    assert done.stderr.count("Weights & Biases could not start online") == 1
    assert done.stderr.count("Weights & Biases") == 1
    assert run_json(run_folder(tmp_path))["wandb"]["mode"] == "offline"
    assert "sync: wandb sync " in done.stdout


def test_the_environment_decides_where_the_command_line_does_not(rowspace: Client, tmp_path: Path) -> None:
    short = (*UNWATCHED, "trainer.max_steps=2")
    env = {"WANDB_MODE": "disabled", "WANDB_PROJECT": "mine"}
    assert rowspace("train", *short, cwd=tmp_path, env=env).code == 0
    assert run_json(run_folder(tmp_path))["wandb"]["mode"] == "disabled"
    bad = rowspace("train", *short, cwd=tmp_path, env={"WANDB_MODE": "sometimes"})
    assert bad.code == 2
    assert "WANDB_MODE: 'sometimes' was given; offline, online or disabled" in bad.stderr
