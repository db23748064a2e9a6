"""Validates before the first step, every few steps and after the last, and knows which validation was the best."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import pytorch_lightning as lightning

from rowspace.callbacks.recorder import Recorder
from rowspace.table import Missing


class Validation(lightning.Callback):
    """Records what `evaluate()` returns: numbers by metric key, `val/loss` among them.

    The best is the lowest val/loss after at least one step; `improved` says whether the validation of this step is
    it, `best` holds its numbers and `best_step` its step. Both survive a resume.
    """

    def __init__(
        self,
        *,
        recorder: Recorder,
        evaluate: Callable[[], Mapping[str, float | Missing]],
        every: int,
        total_steps: int,
    ) -> None:
        self.best: dict[str, float | None] = {"val/loss": math.inf}
        self.best_step = 0
        self.improved = False
        self.evaluated = False
        self._recorder = recorder
        self._evaluate = evaluate
        self._every = every
        self._total_steps = total_steps

    def on_train_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        if trainer.global_step == 0:
            self._recorder.scalars(0, self._evaluate())

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        step = trainer.global_step
        self.improved = False
        self.evaluated = step % self._every == 0 or step == self._total_steps
        if not self.evaluated:
            return
        found = self._evaluate()
        self._recorder.scalars(step, found)
        loss, lowest = found["val/loss"], self.best["val/loss"]
        if not isinstance(loss, Missing) and lowest is not None and (loss < lowest or self.best_step == 0):
            self.improved = True
            self.best_step = step
            self.best = {key: None if isinstance(value, Missing) else float(value) for key, value in found.items()}

    def state_dict(self) -> dict[str, Any]:
        return {"best": self.best, "best_step": self.best_step}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.best, self.best_step = dict(state_dict["best"]), state_dict["best_step"]
