"""Curves as they are read from a run's own rows."""

from __future__ import annotations

import json
from pathlib import Path

from rowspace.compare.history import read_curve


def test_a_validation_between_two_logged_steps_has_its_tokens_and_bytes(tmp_path: Path) -> None:
    rows = [
        {"trainer/global_step": 0, "val/loss": 9.0, "val/bpb": 3.5},
        {"trainer/global_step": 20, "train/tokens_seen": 2000},
        {"trainer/global_step": 25, "val/loss": 7.0, "val/bpb": 2.5},
        {"trainer/global_step": 40, "train/tokens_seen": 4001, "val/loss": 6.0, "val/bpb": 2.0},
    ]
    file = tmp_path / "metrics.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run = {"cost": {"flops_per_step": 7.0}, "phases": {"training": 80.0}}
    curve = list(read_curve(file, run, {"tokens": 4000.0, "bytes": 12000.0, "steps": 40.0}))
    assert [point["tokens"] for point in curve] == [0, 2500, 4001]
    assert [point["bytes"] for point in curve] == [0, 7500, 12003]
    assert [point["seconds"] for point in curve] == [0, 50, 80]
    assert [point["flops"] for point in curve] == [0, 175, 280]
