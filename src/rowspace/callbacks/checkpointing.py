"""Saves last.ckpt for resuming and best.ckpt for reading, after everything else that a step does.

So the checkpoint knows the validation and the measures of its own step, and the number of rows logged by then: a
resume cuts metrics.jsonl back to that row and repeats nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytorch_lightning as lightning

from rowspace.callbacks.evaluation import Validation
from rowspace.callbacks.stopping import Stopping


class Checkpointing(lightning.Callback):
    """Belongs last in the list of callbacks.

    `rows()` writes the row in hand and counts all. `saved(step)` hears of every last.ckpt.
    """

    def __init__(
        self,
        *,
        last: Path,
        best: Path,
        every: int,
        total_steps: int,
        validation: Validation,
        stopping: Stopping,
        rows: Callable[[], int],
        saved: Callable[[int], None] = lambda step: None,
    ) -> None:
        self._last = last
        self._best = best
        self._every = every
        self._total_steps = total_steps
        self._validation = validation
        self._stopping = stopping
        self._rows = rows
        self._saved = saved

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        step = trainer.global_step
        stop = self._stopping.asked
        due = step % self._every == 0 or step == self._total_steps or stop is not None
        if self._validation.improved:
            trainer.save_checkpoint(self._best, weights_only=True)
        if due:
            trainer.save_checkpoint(self._last)
            self._saved(step)
        if stop is not None:
            trainer.should_stop = True

    def on_save_checkpoint(self, trainer: lightning.Trainer, pl_module: Any, checkpoint: dict[str, Any]) -> None:
        checkpoint["metrics_rows"] = self._rows()
