"""Logs the training loss, the gradient's norm, the learning rate and the speed, every few steps.

Waits for the device at these steps only.
"""

from __future__ import annotations

import time
from typing import Any

import pytorch_lightning as lightning

from rowspace.callbacks.recorder import Recorder


class Losses(lightning.Callback):
    """Records a row every `every` steps and after the last one."""

    def __init__(self, *, recorder: Recorder, every: int, total_steps: int) -> None:
        self._recorder = recorder
        self._every = every
        self._total_steps = total_steps
        self._seconds = 0.0
        self._tokens = 0
        self._began = 0.0

    def on_train_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        self._seconds = 0.0
        self._tokens = pl_module.tokens_seen()

    def on_train_batch_start(self, trainer: lightning.Trainer, pl_module: Any, batch: Any, batch_idx: int) -> None:
        self._began = time.perf_counter()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        step = trainer.global_step
        if step % self._every and step != self._total_steps:
            self._seconds += time.perf_counter() - self._began
            return
        tally = pl_module.take_tally()
        self._seconds += time.perf_counter() - self._began
        self._recorder.scalars(
            step,
            {
                "train/loss": tally.loss,
                "train/grad_norm": tally.grad_norm,
                "train/lr": tally.lr,
                "train/tokens_seen": tally.tokens,
                "train/tokens_per_second": (tally.tokens - self._tokens) / max(self._seconds, 1e-9),
            },
        )
        self._seconds, self._tokens = 0.0, tally.tokens
