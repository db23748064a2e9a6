"""What a finished run says it cost, against what is in its folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow.parquet
import pytest

from rowspace.report.ledger import ledger_table
from tests.runs.conftest import QUICK, run_folder, run_json, weights
from tests.server import Client


def test_the_ledger_and_the_cost_are_of_the_weights_that_were_trained(finished: Path) -> None:
    cost, kept = run_json(finished)["cost"], weights(finished)
    table = pyarrow.parquet.read_table(finished / "tables" / "ledger.parquet").to_pylist()
    learned = [row for row in table if row["category"] == "LEARNED"]
    unique = {key: value for key, value in kept.items() if key != "model.head.weight"}
    assert cost["parameters"] == sum(value.numel() for value in unique.values())
    assert sum(row["count"] for row in learned) == cost["parameters"]
    assert cost["flops"]["train"] == cost["flops_per_token"]
    assert cost["steps"] == 40
    assert cost["tokens_per_step"] == 4 * 32
    assert cost["expected_memory_bytes"] / 2 < cost["peak_memory_bytes"] < cost["expected_memory_bytes"] * 2


def test_the_weights_that_were_scored_are_those_of_the_best_checkpoint(finished: Path) -> None:
    digest = hashlib.sha256()
    for name, tensor in weights(finished, "best").items():
        digest.update(
            f"{name.removeprefix('model.')} {tensor.dtype} {tuple(tensor.shape)} ".encode() + tensor.numpy().tobytes()
        )
    assert run_json(finished)["hashes"]["weights"] == digest.hexdigest()


def test_a_run_says_in_four_lines_what_it_will_cost(finished: Path) -> None:
    said = (finished / "train.log").read_text()
    for part in ("parameters: E", "floating-point operations a trained token", "memory at the peak", "for 40 steps of"):
        assert said.count(part) == 1


def test_a_run_starts_with_its_ledger_in_the_log(finished: Path) -> None:
    said = [line[20:] for line in (finished / "train.log").read_text().splitlines()]  # behind the time
    table = pyarrow.parquet.read_table(finished / "tables" / "ledger.parquet").to_pylist()
    assert set(ledger_table(table).splitlines()) <= set(said)
    assert [line.split()[0] for line in said if line.startswith(("LEARNED", "CONFIG", "STATE"))] == [
        "LEARNED",
        "CONFIG",
        "STATE",
    ]
    (shown,) = (line.split() for line in said if line.startswith("  E "))
    (kept,) = (row for row in table if row["quantity"] == "E")
    assert shown == ["E", "(257,", "16)", "4,112", "16.4", "kB", kept["sha256"][:8]]
    assert next(i for i, line in enumerate(said) if "LEARNED" in line) < next(
        i for i, line in enumerate(said) if "parameters: E" in line
    )


@pytest.mark.slow
def test_the_ledger_is_a_note_and_no_result_and_quiet_where_nothing_is_to_be_said(
    rowspace: Client, tmp_path: Path
) -> None:
    short = (*QUICK, "trainer.max_steps=1", "schedule.warmup_steps=0")
    for mode, times in (("lines", 1), ("none", 0)):
        done = rowspace("train", *short, f"trainer.progress={mode}", "rerun=true", cwd=tmp_path)
        assert done.code == 0, done.stderr
        assert done.stderr.count("LEARNED") == times
        assert "LEARNED" not in done.stdout
        assert (run_folder(tmp_path) / "train.log").read_text().count("LEARNED") == 1
