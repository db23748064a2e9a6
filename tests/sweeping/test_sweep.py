"""Sweeps from the door to the table, with a training that takes no time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from rowspace import cli
from rowspace.errors import Stopped
from tests.stand_in import Trained
from tests.tokenization.corpora import sentences

SMALL = ("data=text", "data.files=text.txt", "tokenizer=byte", "logger.mode=disabled")


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Trained:
    module = Trained(folders=True)
    monkeypatch.setitem(sys.modules, "rowspace.commands.train", module)
    monkeypatch.setattr("rowspace.commands.compare.refresh", lambda study, say, reader: None)
    monkeypatch.setattr("rowspace.commands.compare.finish", lambda study, logger, say, reader: None)
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("\n".join(sentences(200)), encoding="utf-8")
    return module


def records(study: str) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(Path("outputs", study, "sweep").glob("*.json"))]


def table(out: str) -> list[list[str]]:
    """Rows of the last table: number, status, seconds, value, own words."""
    lines = out.split("\n\n")[-1].strip().splitlines()
    return [line.split() for line in lines if line.split()[0].isdecimal()]


def seeds(trained: Trained) -> list[int]:
    return [config.seed for config, _ in trained.jobs]


def test_a_finished_run_needs_no_job_and_the_grid_may_be_widened(
    trained: Trained, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.door(["train", "-m", *SMALL, "study=wide", "seed=0,1"]) == 0
    first = table(capfd.readouterr().out)
    assert first == [["0", "finished", "2.0", "2", "seed=0"], ["1", "finished", "3.0", "2", "seed=1"]]
    assert cli.door(["train", "-m", *SMALL, "seed=2,1,0", "study=wide"]) == 0
    said = capfd.readouterr()
    assert seeds(trained) == [0, 1, 2]
    assert "2 of 3 runs are finished already" in said.err
    assert [row[1:] for row in table(said.out)][::-1][:2] == [row[1:] for row in first]
    assert {record["status"] for record in records("wide")} == {"finished"}


def test_a_failed_run_is_run_again_and_its_traceback_has_a_file(
    trained: Trained, capfd: pytest.CaptureFixture[str]
) -> None:
    trained.fail = lambda config: ZeroDivisionError("planted") if config.seed == 1 else None
    assert cli.door(["train", "-m", *SMALL, "study=fails", "seed=0,1"]) == 1
    (failed,) = [record for record in records("fails") if record["status"] == "failed"]
    trace = Path("outputs", "fails", failed["traceback"])
    assert "ZeroDivisionError: planted" in trace.read_text()
    assert f"1: ZeroDivisionError: planted (traceback: {trace})" in capfd.readouterr().out
    trained.fail = lambda config: None
    assert cli.door(["train", "-m", *SMALL, "study=fails", "seed=0,1"]) == 0
    assert seeds(trained) == [0, 1, 1]
    assert [row[1] for row in table(capfd.readouterr().out)] == ["finished", "finished"]
    assert all(record["error"] is None and record["traceback"] is None for record in records("fails"))


@pytest.mark.slow
def test_a_signal_leaves_a_table_that_the_same_command_completes(
    trained: Trained, capfd: pytest.CaptureFixture[str]
) -> None:
    trained.fail = lambda config: Stopped(15) if config.seed == 1 else None
    assert cli.door(["train", "-m", *SMALL, "study=stopped", "seed=0,1,2"]) == 143
    assert [row[1] for row in table(capfd.readouterr().out)] == ["finished", "interrupted", "left"]
    trained.fail = lambda config: None
    assert cli.door(["train", "-m", *SMALL, "study=stopped", "seed=0,1,2"]) == 0
    assert seeds(trained) == [0, 1, 1, 2]
    assert [row[1] for row in table(capfd.readouterr().out)] == ["finished"] * 3


def test_a_file_holds_a_grid_and_typed_words_win(trained: Trained, tmp_path: Path) -> None:
    file = tmp_path / "mine" / "sweep" / "few.yaml"
    file.parent.mkdir(parents=True)
    grid = {"mode": "MULTIRUN", "sweeper": {"params": {"position": "none,rope", "seed": "0,1"}}}
    file.write_text("# @package _global_\n" + yaml.safe_dump({"hydra": grid, "study": "few", "model": {"d": 32}}))
    words = ["train", "--config-dir", str(tmp_path / "mine"), "sweep=few", *SMALL]
    assert cli.door(words) == 0
    assert [(config.position.name, config.seed) for config, _ in trained.jobs] == [
        ("none", 0),
        ("none", 1),
        ("rope", 0),
        ("rope", 1),
    ]
    assert {(config.study, config.model.d) for config, _ in trained.jobs} == {("few", 32)}
    assert cli.door([*words, "seed=1,7", "position=rope"]) == 0
    assert [(config.position.name, config.seed) for config, _ in trained.jobs[4:]] == [("rope", 7)]


@pytest.mark.slow
def test_points_that_are_the_same_run_run_once_and_invalid_ones_can_be_left_out(
    trained: Trained, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["train", "-m", *SMALL, "study=same", "tokenizer=byte,char", "tokenizer.vocab_size=100,280"]
    assert cli.door(words) == 2
    said = capfd.readouterr().err
    assert "1 of 4 grid points are not valid, so nothing was run" in said
    assert "skip_invalid=true runs the others" in said
    assert trained.jobs == []
    assert cli.door([*words, "skip_invalid=true"]) == 0
    said = capfd.readouterr()
    assert [(config.tokenizer.name, config.tokenizer.vocab_size) for config, _ in trained.jobs] == [
        ("byte", None),
        ("char", 280),
    ]
    same = "tokenizer=byte tokenizer.vocab_size=280: the same run as tokenizer=byte tokenizer.vocab_size=100, run once"
    assert same in said.err
    assert "left out" in said.err
    assert len(table(said.out)) == 2


def test_a_size_that_the_text_cannot_give_is_found_before_the_first_job(
    trained: Trained, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["train", "-m", *SMALL, "study=large", "tokenizer=bpe", "tokenizer.vocab_size=270,90000"]
    assert cli.door(words) == 2
    said = capfd.readouterr().err
    assert "1 of 2 grid points are not valid, so nothing was run" in said
    assert "tokenizer.vocab_size=90000" in said
    assert trained.jobs == []


@pytest.mark.slow
def test_a_fraction_of_the_arms_runs_with_all_their_seeds_and_rates(
    trained: Trained, capfd: pytest.CaptureFixture[str]
) -> None:
    axes = ["position=none,rope", "head.tie=true,false", "seed=0,1", "optimizer.lr=0.01,0.02"]
    assert cli.door(["train", "-m", *SMALL, "study=part", *axes, "fraction=3"]) == 0
    assert "fraction: 3 of 4 arms, D-efficiency " in capfd.readouterr().err
    ran: dict[Any, set[Any]] = {}
    for config, _ in trained.jobs:
        ran.setdefault((config.position.name, config.head.tie), set()).add((config.seed, config.optimizer.lr))
    assert set(map(frozenset, ran.values())) == {frozenset({(0, 0.01), (0, 0.02), (1, 0.01), (1, 0.02)})}
    assert len(ran) == 3


def test_values_with_slashes_commas_and_great_length_make_folders_of_bounded_names(trained: Trained) -> None:
    notes = "x" * 260
    assert cli.door(["train", "-m", *SMALL, "study=long", f"logger.notes={notes}", "logger.tags=[a/b,c],[d]"]) == 0
    assert [config.logger.tags for config, _ in trained.jobs] == [["a/b", "c"]]  # tags make no other run
    names = [path.name for path in Path("outputs", "long").iterdir()]
    assert max(map(len, names)) <= 70


@pytest.mark.slow
def test_a_disk_that_refuses_the_records_fails_no_job(
    trained: Trained, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    study = tmp_path / "outputs" / "full"
    study.mkdir(parents=True)
    (study / "sweep").write_text("a file where the folder should be")
    assert cli.door(["train", "-m", *SMALL, "study=full", "seed=0,1"]) == 0
    said = capfd.readouterr()
    assert [row[1:4] for row in table(said.out)] == [["finished", "2.0", "2"], ["finished", "3.0", "2"]]
    assert "until then the table is kept in memory" in said.err


@pytest.mark.slow
def test_optuna_searches_with_the_same_records_and_table(trained: Trained, capfd: pytest.CaptureFixture[str]) -> None:
    trained.bpb = lambda config: None if config.position.name == "none" else abs(config.optimizer.lr - 0.02)
    space = ["position=choice(none,rope)", "optimizer.lr=interval(0.001,0.1)"]
    plan = ["hydra.sweeper.n_trials=4", "hydra.sweeper.n_jobs=1", "hydra.sweeper.sampler.seed=3"]
    done = cli.door(["train", "-m", *SMALL, "study=asked", *space, "hydra/sweeper=optuna", *plan])
    said = capfd.readouterr()
    rows = table(said.out)
    assert len(rows) == len(trained.jobs) == len(records("asked")) == 4
    missing = [config.position.name for config, _ in trained.jobs].count("none")
    assert 0 < missing < 4
    assert [row[3] for row in rows].count("-") == missing
    assert "val/bpb is null (planted): the trial has no value" in said.out + said.err
    assert done == 0
    best = yaml.safe_load(Path("outputs", "asked", "optimization_results.yaml").read_text())
    assert best["best_value"] == min(abs(c.optimizer.lr - 0.02) for c, _ in trained.jobs if c.position.name == "rope")


def test_a_trial_that_cannot_be_is_a_row_that_failed(trained: Trained, capfd: pytest.CaptureFixture[str]) -> None:
    space = ["model.d=choice(65)", "hydra.sweeper.n_trials=1", "hydra.sweeper.n_jobs=1"]
    assert cli.door(["train", "-m", *SMALL, "study=bad", *space, "hydra/sweeper=optuna"]) == 1
    said = capfd.readouterr()
    assert "1 of 1 jobs failed" in said.err
    assert "model.d: 65" in said.out


def test_an_interval_needs_a_sweeper_that_takes_it(trained: Trained, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["train", "-m", *SMALL, "optimizer.lr=interval(0.001,0.1)"]) == 2
    assert "optimizer.lr: an interval was given; a list of values, or hydra/sweeper=optuna" in capfd.readouterr().err
