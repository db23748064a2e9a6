"""Logs at its cadence, and measures the time of steps only."""

from __future__ import annotations

import pytest

from rowspace.callbacks import losses as losses_file
from rowspace.callbacks.losses import Losses
from tests.callbacks.standins import Recorder, Task, Trainer, steps


def test_losses_are_recorded_at_their_cadence_and_after_the_last_step(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(float(second) for second in range(100))  # two readings a step: each takes one second
    monkeypatch.setattr(losses_file.time, "perf_counter", lambda: next(clock))
    recorder, trainer, task = Recorder(), Trainer(), Task()
    losses = Losses(recorder=recorder, every=3, total_steps=7)
    losses.on_train_start(trainer, task)
    steps(trainer, task, 7, losses, tokens=12)
    assert [step for step, _ in recorder.got] == [3, 6, 7]
    assert recorder.got[0][1] == {
        "train/loss": 2.0, "train/grad_norm": 0.5, "train/lr": 0.1, "train/tokens_seen": 36,
        "train/tokens_per_second": 12.0,
    }  # fmt: skip
    assert recorder.got[2][1]["train/tokens_per_second"] == 12.0
