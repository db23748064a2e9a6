"""What a run says and keeps about its position scheme."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runs.conftest import QUICK, rows, run_folder, run_json, weights
from tests.server import Client


def test_a_run_measures_its_live_scheme_before_the_first_step(finished: Path) -> None:
    certificate, first = run_json(finished)["certificates"]["position"], rows(finished)[0]
    assert certificate["verdict"] == "held"
    assert "positions (10, 15) and (1010, 1015)" in certificate["detail"]
    assert "frequencies differ from plain rope by up to 0.0%" in certificate["detail"]
    assert first["trainer/global_step"] == 0
    assert first["position/offset_error"] < 1e-5
    assert first["position/frequency_change"] == pytest.approx(0, abs=1e-6)
    assert run_json(finished)["metrics"]["position/offset_error"] == first["position/offset_error"]


def test_a_learned_table_that_goes_beyond_its_rows_says_so_and_is_measured_within_them(
    rowspace: Client, tmp_path: Path
) -> None:
    words = ("position=learned", "position.n_max=8", "position.beyond=clamp", "trainer.max_steps=2")
    done = rowspace("train", *QUICK, *words, "schedule.warmup_steps=0", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert "position=learned beyond=clamp: all positions from 7 on share one row" in done.stdout + done.stderr
    metrics = run_json(run_folder(tmp_path))["metrics"]
    assert metrics["position/offset_error"] > 1e-3
    assert 0 < metrics["position/row_norm_ratio"] < 1000


@pytest.mark.slow
def test_the_certificate_is_measured_in_the_precision_of_the_run(rowspace: Client, tmp_path: Path) -> None:
    words = ("trainer.precision=bf16", "trainer.max_steps=1", "schedule.warmup_steps=0")
    done = rowspace("train", *QUICK, *words, cwd=tmp_path)
    assert done.code == 0, done.stderr
    run = run_json(run_folder(tmp_path))
    assert run["certificates"]["position"]["verdict"] == "held"
    assert "in bfloat16" in run["certificates"]["position"]["detail"]
    assert run["metrics"]["position/offset_error"] > 1e-4


@pytest.mark.slow
def test_a_run_that_goes_on_certifies_the_table_that_was_trained(rowspace: Client, tmp_path: Path) -> None:
    words = (*QUICK, "position=learned", "schedule.warmup_steps=0")
    done = rowspace("train", *words, "optimizer.lr=0.02", "trainer.max_steps=20", cwd=tmp_path)
    assert done.code == 0, done.stderr
    first = run_folder(tmp_path)
    done = rowspace("train", *words, "trainer.max_steps=1", f"trainer.continue_from={first}", cwd=tmp_path)
    assert done.code == 0, done.stderr
    trained = weights(first)
    rows_of_tokens, places = trained["model.embedding.weight"][:256], trained["model.position.table"]
    ratio = float(rows_of_tokens.square().sum(1).mean().sqrt() / places.square().sum(1).mean().sqrt())
    before, after = (run_json(each)["metrics"]["position/row_norm_ratio"] for each in (first, run_folder(tmp_path)))
    assert after == pytest.approx(ratio, rel=1e-5)
    assert abs(before / after - 1) > 0.01
