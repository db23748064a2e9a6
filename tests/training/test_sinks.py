"""The recorder: one row a step, the same everywhere, and reasons for what does not exist."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from rowspace.runfolder import RunFolder
from rowspace.table import Missing
from rowspace.training.sinks import Sinks, open_sinks
from rowspace.training.tracking import Tracking
from tests.parts import option


class Mirror(Tracking):
    """What W&B would have got."""

    def __init__(self) -> None:
        self.got: list[tuple[str, Any]] = []

    def log(self, row: Any) -> None:
        self.got.append(("row", row))

    def table(self, step: int, name: str, rows: Any) -> None:
        self.got.append(("table", (step, name, len(rows))))

    def figure(self, step: int, name: str, figure: Any) -> None:
        self.got.append(("figure", (step, name)))


@pytest.fixture
def sinks(run_path: Path) -> Sinks:
    return Sinks(RunFolder(run_path), Mirror())


def test_what_several_record_of_one_step_is_one_row(sinks: Sinks, run_path: Path) -> None:
    sinks.scalars(5, {"train/loss": 2.0})
    sinks.scalars(5, {"val/loss": 3.0})
    assert RunFolder(run_path).read_metrics() == []
    sinks.scalars(6, {"train/loss": 1.0})
    sinks.flush()
    sinks.flush()
    expected = [
        {"trainer/global_step": 5, "train/loss": 2.0, "val/loss": 3.0},
        {"trainer/global_step": 6, "train/loss": 1.0},
    ]
    assert RunFolder(run_path).read_metrics() == expected
    assert [row for kind, row in sinks.tracking.got if kind == "row"] == [{**row, "attempt": 1} for row in expected]  # type: ignore[attr-defined]
    assert sinks.latest == {"train/loss": 1.0, "val/loss": 3.0}


def test_a_number_that_does_not_exist_is_null_with_its_reason(sinks: Sinks, run_path: Path) -> None:
    sinks.scalars(0, {"val/bpb": Missing("the tokenizer loses case"), "train/loss": math.nan})
    sinks.flush()
    assert RunFolder(run_path).read_metrics() == [{"trainer/global_step": 0, "val/bpb": None, "train/loss": None}]
    assert sinks.reasons == {"val/bpb": "the tokenizer loses case", "train/loss": "not finite (nan)"}
    sinks.scalars(1, {"train/loss": 1.0})
    assert "train/loss" not in sinks.reasons


def test_tables_and_figures_go_to_both(sinks: Sinks, run_path: Path) -> None:
    sinks.table(3, "neighbours", [{"word": "king", "verdict": "success"}])
    sinks.figure(3, "map_E", go.Figure(go.Scatter(x=[1, 2], y=[3, 4])))
    assert RunFolder(run_path).read_table("neighbours") == [{"word": "king", "verdict": "success"}]
    assert json.loads((run_path / "figures" / "map_E.json").read_text())["data"][0]["x"] == [1, 2]
    assert sinks.tracking.got == [("table", (3, "neighbours", 1)), ("figure", (3, "map_E"))]  # type: ignore[attr-defined]


def test_resuming_goes_back_to_the_rows_that_the_checkpoint_knew(sinks: Sinks, run_path: Path) -> None:
    for step in range(4):
        sinks.scalars(step, {"train/loss": float(step)})
    assert sinks.rows() == 4
    again = Sinks(RunFolder(run_path), Mirror())
    again.resume(2)
    assert again.latest == {"train/loss": 1.0}
    again.scalars(2, {"train/loss": 20.0})
    assert again.rows() == 3
    assert [row["train/loss"] for row in RunFolder(run_path).read_metrics()] == [0.0, 1.0, 20.0]


def test_the_last_row_is_written_when_the_sinks_close_and_the_id_is_kept_for_the_next_attempt(run_path: Path) -> None:
    disabled = option("logger", "wandb", mode="disabled")
    ids = []
    for step in (1, 2):
        with open_sinks(RunFolder(run_path), disabled, columns={}, say=print) as sinks:
            ids.append(RunFolder(run_path).run["wandb"]["id"])
            sinks.scalars(step, {"train/loss": 1.0})
    assert [row["trainer/global_step"] for row in RunFolder(run_path).read_metrics()] == [1, 2]
    assert ids[0] == ids[1]
    assert not (run_path / "wandb").exists()
