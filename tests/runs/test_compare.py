"""`rowspace compare` on a run that was really trained, beside copies of it under other seeds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from rowspace.commands.compare import compared
from tests.runs.conftest import rows, run_json
from tests.server import Client


@pytest.fixture
def study(finished: Path, tmp_path: Path) -> Path:
    """Three folders: the run as it was, and two that say another seed and another bpb."""
    for seed in range(3):
        folder = tmp_path / "study" / f"seed{seed}"
        shutil.copytree(finished, folder)
        config = (folder / "config.yaml").read_text()
        (folder / "config.yaml").write_text(config.replace("\nseed: 0\n", f"\nseed: {seed}\n"))
        run = run_json(folder)
        run["metrics"]["test/bpb"] += seed / 100
        (folder / "run.json").write_text(json.dumps(run))
    return tmp_path / "study"


def test_a_trained_run_is_compared_as_it_was_recorded(study: Path) -> None:
    found = compared([study])
    assert (len(found.ranked), found.apart) == (3, ())
    run = next(one for one in found.ranked if one.seed == 0)
    said = run_json(run.path)
    assert run.metrics["test/bpb"] == said["metrics"]["test/bpb"]
    assert run.scored_bytes["test"] > 0
    assert run.settings["tokenizer.vocab_size"] == 257
    validated = [row for row in rows(run.path) if "val/bpb" in row]
    assert (
        [point["step"] for point in run.curve]
        == [row["trainer/global_step"] for row in validated]
        == [0, 10, 20, 30, 40]
    )
    assert run.curve[-1]["flops"] == run.cost["flops"] == said["cost"]["flops_per_step"] * 40
    assert run.curve[-1]["bytes"] == pytest.approx(said["cost"]["bytes_seen"])
    (arm,) = found.arms
    assert arm.result.mean == pytest.approx(said["metrics"]["test/bpb"] + 0.01)


def test_the_command_answers_and_writes_the_page(rowspace: Client, study: Path) -> None:
    done = rowspace("compare", str(study), "out=table.parquet", cwd=study.parent)
    assert done.code == 0, done.stderr
    assert "all runs: " in done.stdout
    assert "bits per byte over 3 seeds" in done.stdout
    assert (study / "compare.html").stat().st_size < 6_000_000
    assert (study.parent / "table.parquet").exists()
