"""What a finished run says it cost, against what is in its folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow.parquet

from tests.runs.conftest import run_json, weights


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
