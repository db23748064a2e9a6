"""When checkpoints are saved, and what they know."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from rowspace.callbacks.checkpointing import Checkpointing
from rowspace.callbacks.evaluation import Validation
from rowspace.callbacks.stopping import Stopping
from tests.callbacks.standins import Task, Trainer, steps


class Saving:
    def __init__(self, tmp_path: Path, validation: Validation) -> None:
        self.saved: list[int] = []
        self.stopping = Stopping(say=lambda text: None)
        self.callback = Checkpointing(
            last=tmp_path / "last.ckpt", best=tmp_path / "best.ckpt", every=3, total_steps=7,
            validation=validation, stopping=self.stopping, rows=lambda: 11, saved=self.saved.append,
        )  # fmt: skip


def test_last_is_saved_at_its_cadence_and_best_whenever_it_improves(tmp_path: Path, validation: Validation) -> None:
    trainer, saving = Trainer(), Saving(tmp_path, validation)
    validation.on_train_start(trainer, Task())  # type: ignore[arg-type]
    steps(trainer, Task(), 7, validation, saving.callback)
    last = [("last.ckpt", 3), ("last.ckpt", 6), ("last.ckpt", 7)]
    assert trainer.saved == [("best.ckpt weights", 2), last[0], ("best.ckpt weights", 6), *last[1:]]
    assert saving.saved == [3, 6, 7]


def test_a_wish_to_stop_saves_after_the_step_in_hand_and_ends(tmp_path: Path, validation: Validation) -> None:
    trainer, saving = Trainer(), Saving(tmp_path, validation)
    saving.stopping.asked = signal.SIGTERM
    steps(trainer, Task(), 7, saving.callback)
    assert trainer.saved == [("last.ckpt", 1)]
    assert trainer.should_stop


def test_a_checkpoint_knows_the_rows_logged_by_then(tmp_path: Path, validation: Validation) -> None:
    checkpoint: dict[str, Any] = {}
    Saving(tmp_path, validation).callback.on_save_checkpoint(Trainer(), Task(), checkpoint)  # type: ignore[arg-type]
    assert checkpoint == {"metrics_rows": 11}
