"""The ladder in Weights & Biases: one run in its study's group, whatever the client does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rowspace.preservation import page
from rowspace.preservation.columns import TESTS
from rowspace.preservation.tracking import log_matrix, summary
from rowspace.training import summary_run
from rowspace.training.base import LoggerOption
from tests.parts import option
from tests.preservation.lines import recorded


class Kept:
    """What W&B would have got."""

    made: list[Kept]

    def __init__(self, option: LoggerOption, **about: Any) -> None:
        self.about, self.id, self.mode = about, about["id"], option.mode
        self.tables: dict[str, int] = {}
        self.figures: list[str] = []
        self.summary: dict[str, Any] = {}
        self.sync_command = "wandb sync somewhere"
        Kept.made.append(self)

    def table(self, step: int, key: str, rows: list[dict[str, Any]]) -> None:
        self.tables[key] = len(rows)

    def figure(self, step: int, key: str, figure: Any) -> None:
        assert "bdata" not in figure.to_json()
        self.figures.append(key)

    def finish(self, *, exit_code: int, summary: dict[str, Any]) -> None:
        self.summary = summary


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[Kept]:
    Kept.made = []
    monkeypatch.setattr(summary_run, "Tracking", Kept)
    return Kept.made


def logged(folder: Path, say: Any = pytest.fail, mode: str = "offline") -> str | None:
    found = recorded()
    return log_matrix(found, {"preservation": page.draw(found)}, folder, option("logger", "wandb", mode=mode), "s", say)


def test_a_ladder_has_one_run_that_a_second_call_takes_up(tmp_path: Path, kept: list[Kept]) -> None:
    assert logged(tmp_path) == "wandb sync somewhere"
    logged(tmp_path)
    first, second = kept
    assert first.id == second.id == json.loads((tmp_path / "wandb.json").read_text())["wandb"]["id"]
    assert (first.about["group"], first.about["job_type"]) == ("s", "ladder")
    assert first.tables["ladder/matrix"] == 2 * len(TESTS)
    assert first.figures == ["ladder/preservation"]
    assert first.summary["ladder/one_hot/identity"] == 0.5


def test_nothing_is_logged_where_logging_is_off(tmp_path: Path, kept: list[Kept]) -> None:
    assert logged(tmp_path, mode="disabled") is None
    assert not kept
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("breaks", ["__init__", "table", "finish"])
def test_whatever_the_client_raises_is_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: list[Kept], breaks: str
) -> None:
    def fail(*given: Any, **named: Any) -> None:
        raise RuntimeError("no service\nat all")

    monkeypatch.setattr(Kept, breaks, fail)
    said: list[str] = []
    assert logged(tmp_path, said.append) is None
    assert said == ["the ladder was not logged: no service at all"]


def test_the_summary_has_every_cell_and_null_where_there_is_none() -> None:
    found = summary(recorded())
    assert found["rungs"] == 2
    assert sum(key.startswith("ladder/") for key in found) == 2 * len(TESTS)
    assert sum(value for key, value in found.items() if key.startswith("expectations/")) > 15
