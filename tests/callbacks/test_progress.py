"""How a run shows that it moves."""

from __future__ import annotations

from typing import Any

import pytest

from rowspace.callbacks import progress as progress_file
from rowspace.callbacks.progress import TrainingProgress, standing
from tests.callbacks.standins import Task, Trainer, steps


def test_progress_is_drawn_now_and_then_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10.0, 10.1, 10.7, 10.8])
    monkeypatch.setattr(progress_file.time, "monotonic", lambda: next(clock))
    drawn: list[Any] = []
    shown = TrainingProgress(draw=lambda *told: drawn.append(told), latest=lambda: {"train/loss": 1.0}, total_steps=4)
    steps(Trainer(), Task(), 4, shown)
    assert drawn == [("training", step, 4, "loss 1.000") for step in (1, 3, 4)]


def test_every_step_is_a_move_whether_it_is_drawn_or_not() -> None:
    moved: list[int] = []
    shown = TrainingProgress(draw=lambda *told: None, latest=dict, total_steps=9, moved=moved.append)
    steps(Trainer(), Task(), 4, shown)
    assert moved == [1, 2, 3, 4]


def test_how_a_run_stands_in_words() -> None:
    latest = {"train/loss": 4.8123, "val/bpb": 2.3011, "train/tokens_per_second": 21340.4, "train/lr": 0.1}
    assert standing(latest) == "loss 4.812, 2.301 bpb, 21,340 tokens/s"
    assert standing({"train/loss": 1.0, "val/bpb": None}) == "loss 1.000"
    assert standing({}) == ""
