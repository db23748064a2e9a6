"""The recorder: one row a step, the same everywhere, and reasons for what does not exist."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from rowspace import answers
from rowspace.answers import Findings
from rowspace.figures.blocked import MASK, Blocked, hash_word
from rowspace.runfolder import RunFolder
from rowspace.table import Missing
from rowspace.training.sinks import Sinks, open_sinks
from rowspace.training.tracking import Tracking, _cell
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
    assert sinks.tracking.got == [
        ("table", (3, "tables/neighbours", 1)),
        ("figure", (3, "figures/map_E")),
    ]  # type: ignore[attr-defined]


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


def findings(word: str) -> Findings:
    return Findings(
        question="What lies near what?",
        sentence="Something.",
        scores=[],
        rows={"near": [{"word": word, "cosine": 0.5}]},
        shown=[],
        draw=lambda: {"near": go.Figure(go.Scatter(x=[1], y=[2], text=[f"<b>{word}</b>"]))},
        reading="As it stands.",
    )


def test_an_answer_is_kept_whole_and_its_tables_and_figures_are_mirrored_under_its_name(
    sinks: Sinks, run_path: Path
) -> None:
    sinks.answer(7, "pairs", findings("king"))
    (kept,) = answers.read(run_path / "answers")
    assert (kept["probe"], kept["step"]) == ("pairs", 7)
    assert sinks.tracking.got == [  # type: ignore[attr-defined]
        ("table", (7, "probe/pairs/tables/near", 1)),
        ("figure", (7, "probe/pairs/figures/near")),
    ]


def test_blocked_words_are_masked_in_the_mirror_and_kept_in_the_folder(run_path: Path) -> None:
    got: dict[str, Any] = {}
    mirror = Mirror()
    mirror.table = lambda step, key, rows: got.__setitem__(key, rows)  # type: ignore[method-assign]
    mirror.figure = lambda step, key, figure: got.__setitem__(key, figure.to_json())  # type: ignore[method-assign]
    sinks = Sinks(RunFolder(run_path), mirror, Blocked([hash_word("badword")]))
    sinks.table(3, "neighbours", [{"word": " BadWord"}, {"word": "good"}])
    sinks.answer(3, "pairs", findings("badword"))
    assert got["tables/neighbours"] == [{"word": f" {MASK}"}, {"word": "good"}]
    assert got["probe/pairs/tables/near"][0]["word"] == MASK
    assert json.loads(got["probe/pairs/figures/near"])["data"][0]["text"] == [f"<b>{MASK}</b>"]
    assert RunFolder(run_path).read_table("neighbours")[0] == {"word": " BadWord"}
    assert "badword" in (run_path / "answers" / "pairs.json").read_text()


def test_control_characters_of_tokens_are_named_in_the_mirror() -> None:
    assert [_cell(value) for value in ("a b", "\x00\n", 1.5, True, None)] == ["a b", "<0x00>↵", 1.5, True, None]


def test_a_mirror_that_fails_is_one_warning_and_the_folder_has_all(
    run_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    class Broken:
        def log(self, row: Any) -> None:
            raise OSError("no space left for W&B")

    disabled = option("logger", "wandb", mode="disabled")
    names: dict[str, Any] = {"id": "x", "name": "x", "group": "x", "config": {}}
    tracking = Tracking(disabled, folder=run_path, warn=said.append, **names)
    tracking._run = Broken()
    sinks = Sinks(RunFolder(run_path), tracking)
    for step in range(3):
        sinks.scalars(step, {"train/loss": 1.0})
        sinks.answer(step, "pairs", findings("king"))
    sinks.flush()
    assert len(said) == 1
    assert "no space left for W&B" in said[0]
    assert len(RunFolder(run_path).read_metrics()) == 3
    assert answers.read(run_path / "answers")[0]["step"] == 2
