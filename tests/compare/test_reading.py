"""Run folders as they are found: whole, damaged, hostile, alive."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rowspace.commands.compare import new_reader
from rowspace.compare import reading
from rowspace.compare.base import Apart
from rowspace.errors import ConfigError
from tests.compare.planted import TEXT, grid, plant, plant_run


@pytest.fixture
def study(tmp_path: Path) -> Path:
    plant(
        tmp_path / "study", grid(position=["rope", "alibi"]), value=lambda arm: 2.0, seeds=(0, 1), steps=200, every=40
    )
    return tmp_path / "study"


def changed(folder: Path, **fields: Any) -> None:
    file = folder / "run.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **fields}))


def test_a_run_is_read_with_its_settings_costs_and_curve(study: Path) -> None:
    runs, apart = new_reader().read([study])
    assert [run.name for run in runs] == ["run0000_seed0", "run0001_seed1", "run0002_seed0", "run0003_seed1"]
    assert not apart
    run = runs[2]
    assert (run.settings["position"], run.settings["tokenizer.vocab_size"], run.seed) == ("alibi", 8192, 0)
    assert "position.name" not in run.settings
    assert not [key for key in run.settings if key.startswith(("logger", "dry_run", "trainer.progress"))]
    assert run.text == TEXT
    assert run.metrics["test/bpb"] == pytest.approx(2.0, abs=0.05)
    assert [point["step"] for point in run.curve] == [0, 40, 80, 120, 160, 200]
    half, last = run.curve[2], run.curve[-1]
    assert (half["tokens"], last["tokens"]) == (163_840, 409_600)
    assert half["bytes"] == pytest.approx(163_840 * 3.7, rel=1e-5)
    V, d, layers = 8192, run.settings["model.d"], run.settings["model.layers"]
    assert last["flops"] == run.cost["flops"] == 409_600 * 3 * (12 * d * d * layers + 2 * V * d)
    assert half["seconds"] == pytest.approx(0.02 * 80)
    assert last["val/bpb"] == pytest.approx(run.metrics["val/bpb"])
    assert run.scored_bytes == {"val": 329_913, "test": 331_002}


def test_a_vocabulary_that_was_not_asked_is_the_one_obtained(tmp_path: Path) -> None:
    plant(tmp_path, grid(tokenizer=["byte"]), value=lambda arm: 2.0, seeds=(0,))
    (run,), _ = new_reader().read([tmp_path])
    assert run.settings["tokenizer.vocab_size"] == 257


def test_runs_are_found_in_a_study_in_outputs_and_alone_and_each_once(study: Path) -> None:
    (study.parent / "latest").symlink_to(study / "run0000_seed0")
    (study / "sweep").mkdir()
    reader = new_reader()
    assert len(reader.read([study.parent])[0]) == 4
    assert len(reader.read([study / "run0000_seed0", study])[0]) == 4
    assert len(reader.read([study.parent / "latest"])[0]) == 1
    for wrong in (study / "sweep", study / "nothing"):
        with pytest.raises(ConfigError, match=wrong.name):
            reader.read([wrong])


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("run.json", "{", "run.json cannot be read"),
        ("run.json", "[]", "does not say how a run went"),
        ("run.json", '{"status": "finished"}', "damaged"),
        ("run.json", '{"status": "finished", "metrics": [1], "data": {"sha256": "x"}}', "no values by name"),
        ("run.json", "[" * 100_000, "damaged"),
        ("config.yaml", "a: [", "damaged"),
        ("config.yaml", "- 1", "no configuration"),
        ("config.yaml", "", "none of this version's"),
        ("config.yaml", "x: &a [1, 1]\ny: [*a, *a]\n", "alias"),
        ("config.yaml", "!!python/object/apply:os.system ['true']", "damaged"),
        ("metrics.jsonl", '{"val/loss"\n', "damaged"),
        ("metrics.jsonl", '{"val/loss": ' + "[" * 100_000 + "\n", "damaged"),
        ("config.yaml", b"\xff\xfe", "damaged"),
    ],
)
def test_a_damaged_folder_is_set_apart_and_stops_nothing(
    study: Path, file: str, content: str | bytes, reason: str
) -> None:
    (study / "run0001_seed1" / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    runs, (apart,) = new_reader().read([study])
    assert len(runs) == 3
    assert apart.name == "run0001_seed1"
    assert reason in apart.reason
    assert "\n" not in apart.reason
    assert len(apart.reason) <= 400


def test_a_missing_config_or_a_pipe_or_a_giant_is_set_apart(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (study / "run0000_seed0" / "config.yaml").unlink()
    (study / "run0001_seed1" / "metrics.jsonl").unlink()
    os.mkfifo(study / "run0001_seed1" / "metrics.jsonl")
    (study / "run0002_seed0" / "metrics.jsonl").unlink()
    (lone, _), apart = new_reader().read([study])
    assert lone.curve == ()
    assert ["config.yaml: No such file" in apart[0].reason, "is no file" in apart[1].reason] == [True, True]
    monkeypatch.setitem(reading.LARGEST, "run.json", 100)
    runs, apart = new_reader().read([study])
    assert not runs
    assert all("bytes, which no run writes" in one.reason for one in apart)


def test_numbers_that_are_none_are_null_with_a_reason(study: Path) -> None:
    folder = study / "run0000_seed0"
    text = (folder / "run.json").read_text()
    data = json.loads(text)
    data["metrics"] |= {
        "test/bpb": float("nan"),
        "test/loss": "3",
        "val/bpb": True,
        "geometry/E/row_norm_mean": 10**400,
        "val/loss": 1e200,
    }
    (folder / "run.json").write_text(json.dumps(data))
    (folder / "metrics.jsonl").write_text(
        '{"trainer/global_step": 5, "val/loss": Infinity, "val/bpb": "x"}\n{"val/loss": 1}\n'
    )
    run = new_reader().read([folder])[0][0]
    for key in ("test/bpb", "test/loss", "val/bpb", "geometry/E/row_norm_mean", "val/loss"):
        assert run.metrics[key] is None
        assert "no finite number" in run.reasons[key]
    assert [(point["step"], point["val/loss"], point["val/bpb"]) for point in run.curve] == [(5, None, None)]


def test_a_last_line_that_a_kill_cut_short_is_left_out(study: Path) -> None:
    file = study / "run0000_seed0" / "metrics.jsonl"
    file.write_bytes(file.read_bytes()[:-4])
    run = new_reader().read([file.parent])[0][0]
    assert [point["step"] for point in run.curve] == [0, 40, 80, 120, 160]


def test_runs_that_did_not_finish_say_how_they_stand(study: Path) -> None:
    names = sorted(path.name for path in study.iterdir())
    changed(study / names[0], status="failed", error="MachineError: the disk is\nfull")
    changed(study / names[1], status="running", heartbeat=time.time(), host="elsewhere")
    changed(study / names[2], status="running", heartbeat=1.0, host="elsewhere")
    changed(study / names[3], status="running", host=socket.gethostname())
    runs, apart = new_reader().read([study])
    assert not runs
    assert [one.reason.split(";")[0] for one in apart] == [
        "it failed: MachineError: the disk is full",
        "it is running still",
        "it was interrupted",
        "it was interrupted",
    ]
    assert apart[0].levels["position"] == "rope"


def test_a_run_of_another_version_names_the_key(study: Path) -> None:
    file = study / "run0000_seed0" / "config.yaml"
    file.write_text(file.read_text().replace("clip: 1.0", "clip: much").replace("seed: 0\n", "seed: 0\nnew_key: 1\n"))
    _, (apart,) = new_reader().read([file.parent])
    assert "none of this version's: trainer" in apart.reason
    assert "and 1 more" in apart.reason
    file.write_text(re.sub(r"^  clip: .*\n", "", file.read_text().replace("new_key: 1\n", ""), flags=re.M))
    _, (apart,) = new_reader().read([file.parent])
    assert "trainer.clip is missing; train it again, or compare it with the version that made it" in apart.reason


def test_runs_of_one_name_in_two_studies_are_told_apart(study: Path, tmp_path: Path) -> None:
    (other := tmp_path / "other" / "deep").mkdir(parents=True)
    shutil.copytree(study / "run0000_seed0", other / "run0000_seed0")
    shutil.copytree(study / "run0000_seed0", tmp_path / "third" / "deep" / "run0000_seed0")
    runs, _ = new_reader().read([study, tmp_path / "other", tmp_path / "third"])
    names = [run.name for run in runs]
    assert len(set(names)) == len(names)
    assert f"{study.name}/run0000_seed0" in names
    assert str((other / "run0000_seed0").resolve()) in names, "where the study's name is alike too"
    assert "run0001_seed1" in names


def test_a_folder_that_nobody_may_look_into_is_set_apart(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed, of = study / "run0000_seed0", os.stat

    def denied(path: Any, **more: Any) -> os.stat_result:
        if closed in Path(path).parents:
            raise PermissionError(13, "Permission denied", str(path))
        return of(path, **more)

    monkeypatch.setattr(os, "stat", denied)
    runs, (apart,) = new_reader().read([study])
    assert len(runs) == 3
    assert "run.json: Permission denied" in apart.reason


def test_a_setting_that_is_too_large_to_be_one_is_named(study: Path) -> None:
    config = study / "run0000_seed0" / "config.yaml"
    config.write_text(re.sub(r"max_steps: \d+", f"max_steps: {10**400}", config.read_text()))
    (apart,) = new_reader().read([study])[1]
    assert "trainer.max_steps is no finite number" in apart.reason


def test_what_only_watches_a_run_may_be_missing(study: Path) -> None:
    """Keys that make no other run come and go with versions."""
    file = study / "run0000_seed0" / "config.yaml"
    file.write_text("".join(line for line in file.read_text().splitlines(True) if not line.startswith("skip_invalid")))
    runs, apart = new_reader().read([file.parent])
    assert [len(runs), len(apart)] == [1, 0]


def test_folders_that_have_not_changed_are_not_read_again(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, fresh = new_reader(), []
    read = reader._fresh

    def counted(path: Path) -> Any:
        fresh.append(path.name)
        return read(path)

    monkeypatch.setattr(reader, "_fresh", counted)
    changed(study / "run0003_seed1", status="running", heartbeat=time.time(), host="elsewhere")
    reader.read([study])
    changed(study / "run0001_seed1", status="failed")
    plant_run(study / "run9", {"seed": 9}, test=2.0)
    del fresh[:]
    _, apart = reader.read([study])
    assert sorted(fresh) == ["run0001_seed1", "run0003_seed1", "run9"], "a living run is looked at each time"
    assert {one.name for one in apart} == {"run0001_seed1", "run0003_seed1"}
    assert all(isinstance(one, Apart) for one in apart)


def test_reading_and_comparing_import_no_torch(study: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from rowspace.commands.compare import compared; "
        f"found = compared([Path({str(study)!r})]); assert len(found.ranked) == 4, found; "
        "assert not {'torch', 'wandb', 'datasets', 'pytorch_lightning'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
