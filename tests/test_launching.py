"""Sweeps: every grid point is checked first, jobs fail alone, a table ends it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from rowspace import cli
from rowspace.config import Call
from rowspace.errors import MachineError, Stopped
from rowspace.sweeping.preparing import Prepared
from tests.stand_in import Trained


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Trained:
    module = Trained()
    monkeypatch.setitem(sys.modules, "rowspace.commands.train", module)
    monkeypatch.setattr("rowspace.sweeping.preparing.prepare", lambda points, corpora, terminal: Prepared())
    monkeypatch.chdir(tmp_path)
    return module


def test_a_grid_runs_every_point_and_ends_with_a_table(trained: Trained, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["train", "-m", "position=none,rope", "head.tie=true,false", "study=grid"]) == 0
    assert [(config.position.name, config.head.tie) for config, _ in trained.jobs] == [  # type: ignore[attr-defined]
        ("none", True),
        ("none", False),
        ("rope", True),
        ("rope", False),
    ]
    assert all(call.sweep and call.folder is None for _, call in trained.jobs)
    assert trained.jobs[1][1].overrides == ("position=none", "head.tie=False", "study=grid")
    table = capfd.readouterr().out.split("\n\n")[-1].strip().splitlines()
    assert len(table) == 6
    assert all("finished" in line and "1.5" in line for line in table[1:5])
    assert table[2].endswith(" position=none head.tie=False")
    assert table[5] == "all: study=grid"


def test_invalid_points_are_all_listed_and_nothing_runs(trained: Trained, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["train", "-m", "model.d=64,65,66", "model.heads=4"]) == 2
    said = capfd.readouterr().err
    assert "2 of 3 grid points are not valid, so nothing was run" in said
    assert "model.d=65 model.heads=4\n" in said
    assert "model.d=66 model.heads=4\n" in said
    assert "model.d=64" not in said.replace("(64 or", "")
    assert trained.jobs == []


def test_a_misspelt_option_in_a_grid_is_listed_too(trained: Trained, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["train", "-m", "position=rope,ropee", "seed=0,1"]) == 2
    assert "2 of 4 grid points" in (said := capfd.readouterr().err)
    assert said.count("did you mean rope?") == 2
    assert trained.jobs == []


def test_an_unknown_key_in_a_sweep_is_said_once(trained: Trained, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["train", "-m", "seed=0,1", "modle.d=64"]) == 2
    assert capfd.readouterr().err.count("did you mean model.d?") >= 1
    assert trained.jobs == []


def test_a_failing_job_does_not_stop_the_others(trained: Trained, capfd: pytest.CaptureFixture[str]) -> None:
    trained.fail = lambda config: MachineError("the disk is full") if config.seed == 1 else None
    assert cli.door(["train", "-m", "seed=0,1,2"]) == 1
    out, err = capfd.readouterr()
    assert len(trained.jobs) == 3
    assert "the disk is full" in err
    assert "1 of 3 jobs failed" in err
    assert "1    failed" in out


def test_a_bug_in_one_job_shows_its_traceback_and_the_others_run(
    trained: Trained, capfd: pytest.CaptureFixture[str]
) -> None:
    trained.fail = lambda config: ZeroDivisionError("planted") if config.seed == 0 else None
    assert cli.door(["train", "-m", "seed=0,1"]) == 1
    assert "ZeroDivisionError: planted" in capfd.readouterr().err
    assert len(trained.jobs) == 2


@pytest.mark.parametrize(("stop", "code"), [(KeyboardInterrupt(), 130), (Stopped(15), 143)])
def test_a_signal_ends_the_whole_sweep(
    trained: Trained, capfd: pytest.CaptureFixture[str], stop: BaseException, code: int
) -> None:
    trained.fail = lambda config: stop if config.seed == 1 else None
    assert cli.door(["train", "-m", "seed=0,1,2"]) == code
    assert len(trained.jobs) == 2
    assert "0    finished" in capfd.readouterr().out


def test_several_devices_in_a_sweep_of_one_process_are_refused(
    trained: Trained, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.door(["train", "-m", "seed=0,1", "++trainer.devices=2"]) == 2
    assert "trainer.devices: 2 was given" in capfd.readouterr().err
    assert trained.jobs == []


def test_hydra_writes_nothing_of_its_own_beside_a_single_run(trained: Trained, tmp_path: Path) -> None:
    assert cli.door(["train", "seed=3"]) == 0
    assert list(tmp_path.iterdir()) == []
    assert replace(trained.jobs[0][1], corpora=None) == Call(("rowspace", "train", "seed=3"), ("seed=3",))


@pytest.mark.slow
def test_a_folder_asked_for_is_honoured(trained: Trained, tmp_path: Path) -> None:
    assert cli.door(["train", f"hydra.run.dir={tmp_path}/mine"]) == 0
    assert trained.jobs[0][1].folder == tmp_path / "mine"
    assert cli.door(["train", "-m", "seed=0,1", f"hydra.sweep.dir={tmp_path}/sweep"]) == 0
    assert [(call.folder, call.within) for _, call in trained.jobs[1:]] == [(None, tmp_path / "sweep")] * 2
    words = [f"hydra.sweep.dir={tmp_path}/sweep", "hydra.sweep.subdir=${seed}"]
    assert cli.door(["train", "-m", "seed=2,3", *words]) == 0
    assert [call.folder for _, call in trained.jobs[3:]] == [tmp_path / "sweep" / "2", tmp_path / "sweep" / "3"]


@pytest.mark.parametrize("words", [["hydra.run.dir=taken/x"], ["hydra.sweep.dir=taken/x", "-m", "seed=0,1"]])
def test_a_folder_asked_for_that_cannot_be_made_is_one_sentence(
    trained: Trained, tmp_path: Path, capfd: pytest.CaptureFixture[str], words: list[str]
) -> None:
    (tmp_path / "taken").write_text("a file")
    assert cli.door(["train", *words]) == 1
    said = capfd.readouterr().err
    assert f"rowspace train: {words[0].partition('=')[0]}: cannot make the folder taken/x" in said
    assert "Traceback" not in said
    assert trained.jobs == []


def test_a_disk_that_fails_one_job_is_a_sentence_in_a_sweep_too(
    trained: Trained, capfd: pytest.CaptureFixture[str]
) -> None:
    trained.fail = lambda config: OSError(28, "No space left", "\x1b[31m.txt") if config.seed == 1 else None
    assert cli.door(["train", "-m", "seed=0,1"]) == 1
    said = capfd.readouterr().err
    assert "failed: seed=1\n  No space left: \\x1b[31m.txt\n" in said
    assert "Traceback" not in said


def test_an_experiment_of_the_user_is_composed_from_config_dir(trained: Trained, tmp_path: Path) -> None:
    experiment = tmp_path / "mine" / "experiment" / "wide.yaml"
    experiment.parent.mkdir(parents=True)
    delta = {"defaults": [{"override /position": "none"}, "_self_"], "model": {"d": 256}, "study": "wide"}
    experiment.write_text("# @package _global_\n" + yaml.safe_dump(delta))
    assert cli.door(["train", "--config-dir", str(tmp_path / "mine"), "experiment=wide"]) == 0
    config = trained.jobs[0][0]
    assert (config.position.name, config.model.d, config.study) == ("none", 256, "wide")


def test_the_mode_may_be_set_by_an_override(trained: Trained) -> None:
    assert cli.door(["train", "hydra.mode=MULTIRUN", "seed=0,1"]) == 0
    assert len(trained.jobs) == 2


def test_problems_of_composition_and_of_values_are_reported_together(
    trained: Trained, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.door(["train", "model.dd=3", "head.tie=5", "seed=-1"]) == 2
    said = capfd.readouterr().err
    assert "rowspace train: 3 problems:" in said
    assert "did you mean model.d?" in said
    assert "head.tie: 5 was given; true or false" in said
    assert trained.jobs == []


def test_a_value_that_was_refused_is_not_missing_too(trained: Trained, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["train", "data=text", "data.files=a,b.txt"]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("rowspace train: data.files: a,b.txt was given; ")
    assert trained.jobs == []
