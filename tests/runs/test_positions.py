"""What a run says and keeps about its position scheme."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runs.conftest import TINY, rows, run_folder, run_json
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
    done = rowspace("train", *TINY, *words, "schedule.warmup_steps=0", "logger.mode=disabled", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert "position=learned beyond=clamp: all positions from 7 on share one row" in done.stdout + done.stderr
    metrics = run_json(run_folder(tmp_path))["metrics"]
    assert metrics["position/offset_error"] > 1e-3
    assert 0 < metrics["position/row_norm_ratio"] < 1000
