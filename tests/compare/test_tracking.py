"""The comparison in Weights & Biases: one run of its own in the study's group, whatever the client does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rowspace.compare.comparison import compare
from rowspace.compare.tracking import log_summary, summary, tables
from rowspace.training import summary_run
from rowspace.training.base import LoggerOption
from tests.compare.pages import SIX, compared, runs
from tests.parts import option


class Kept:
    """What W&B would have got."""

    made: list[Kept]

    def __init__(self, option: LoggerOption, **about: Any) -> None:
        self.about, self.id, self.mode = about, about["id"], option.mode
        self.tables: dict[str, int] = {}
        self.figures: dict[str, Any] = {}
        self.summary: dict[str, Any] = {}
        self.sync_command = "wandb sync somewhere"
        Kept.made.append(self)

    def table(self, step: int, key: str, rows: list[dict[str, Any]]) -> None:
        self.tables[key] = len(rows)

    def figure(self, step: int, key: str, figure: Any) -> None:
        self.figures[key] = figure

    def finish(self, *, exit_code: int, summary: dict[str, Any]) -> None:
        self.summary = summary


@pytest.fixture
def logger() -> LoggerOption:
    return option("logger", "wandb", mode="offline")


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[Kept]:
    Kept.made = []
    monkeypatch.setattr(summary_run, "Tracking", Kept)
    return Kept.made


def test_a_study_has_one_run_that_a_second_call_takes_up(
    tmp_path: Path, logger: LoggerOption, kept: list[Kept]
) -> None:
    found = compared(tmp_path, SIX[:2])
    assert log_summary(found, tmp_path, logger, pytest.fail) == "wandb sync somewhere"
    log_summary(found, tmp_path, logger, pytest.fail)
    first, second = kept
    assert first.id == second.id == json.loads((tmp_path / "comparison.json").read_text())["wandb"]["id"]
    assert first.about["group"] == tmp_path.name
    assert first.about["job_type"] == "comparison"
    assert first.tables == {
        f"comparison/{name}": n for name, n in {"runs": 6, "arms": 2, "effects": 2, "apart": 1}.items()
    }
    assert {"comparison/effect_0", "comparison/standings", "comparison/curves"} <= set(first.figures)
    assert "bdata" not in first.figures["comparison/standings"].to_json()
    assert first.summary["runs/ranked"] == 6


def test_nothing_is_logged_where_logging_is_off(tmp_path: Path, logger: LoggerOption, kept: list[Kept]) -> None:
    off = logger.model_copy(update={"mode": "disabled"})
    assert log_summary(compare([]), tmp_path, off, pytest.fail) is None
    assert not kept
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["{", "[]", '{"wandb": 3}', '{"wandb": {"id": "../../x"}}', '{"wandb": {"id": 7}}'])
def test_a_damaged_id_is_replaced(tmp_path: Path, logger: LoggerOption, kept: list[Kept], text: str) -> None:
    (tmp_path / "comparison.json").write_text(text)
    log_summary(compare(runs(tmp_path, SIX[:1], seeds=(0,))), tmp_path, logger, pytest.fail)
    assert kept[0].id.isalnum()
    assert len(kept[0].id) == 8


def test_several_problems_are_one_warning(
    tmp_path: Path, logger: LoggerOption, monkeypatch: pytest.MonkeyPatch, kept: list[Kept]
) -> None:
    class Failing(Kept):
        def __init__(self, option: LoggerOption, **about: Any) -> None:
            super().__init__(option, **about)
            about["warn"]("no network")
            about["warn"]("no service")

    monkeypatch.setattr(summary_run, "Tracking", Failing)
    said: list[str] = []
    log_summary(compare([]), tmp_path, logger, said.append)
    assert said == ["no network"]


def test_tables_and_numbers_are_those_of_the_comparison(tmp_path: Path) -> None:
    found = compare(runs(tmp_path, SIX))
    rows = tables(found)
    assert [row["arm"] for row in rows["arms"]] == [arm.label for arm in found.arms]
    assert rows["arms"][-1]["verdict"] == "worse"
    assert rows["arms"][0]["difference"] is None
    assert {row["axis"] for row in rows["effects"]} == {"position", "head.tie", "position x head.tie"}
    assert rows["runs"][0]["position"] == "rope"
    told = summary(found)
    assert told["best/mean"] == found.arms[0].result.mean
    assert told["effect/position"] == pytest.approx(0.3, abs=0.02)
    assert summary(compare([]))["arms"] == 0


@pytest.mark.slow
def test_the_client_takes_it_offline(tmp_path: Path, logger: LoggerOption) -> None:
    found = compared(tmp_path, SIX[:2])
    command = log_summary(found, tmp_path, logger, pytest.fail)
    assert command is not None
    assert command.startswith("wandb sync ")
    [folder] = (tmp_path / "wandb").glob("offline-run-*")
    assert list(folder.glob("*.wandb"))
