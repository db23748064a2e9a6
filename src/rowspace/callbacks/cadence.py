"""When a watcher looks: before the first step, and after chosen steps. What it looks at is up to its subclass.

A watcher reads float32 copies of the tables, draws from no generator of torch and logs through its recorder alone, so
that a run with watchers has the same weights, bit for bit, as one without. Its state (the tables at the start, the last
step it looked at) travels in the checkpoint. It belongs before the checkpoint callback in the trainer's list.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytorch_lightning as lightning
import torch

from rowspace.callbacks.base import Watched
from rowspace.table import TokenTable


class Watcher(lightning.Callback):
    """Calls `look(step, tables, model)` on rank 0 before training (step 0) and after each of `steps`."""

    def __init__(self, *, recorder: Any, watched: Watched, steps: frozenset[int]) -> None:
        self.recorder = recorder
        self.watched = watched
        self.steps = steps
        self._last = -1

    @abstractmethod
    def look(self, step: int, tables: Mapping[str, TokenTable], model: Any) -> None:
        """Measure and record; `tables` holds E, and U where the head is not tied; `model` is the live one."""

    def on_train_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        self._maybe_look(trainer, pl_module)

    def on_train_batch_end(
        self, trainer: lightning.Trainer, pl_module: lightning.LightningModule, *args: Any, **kwargs: Any
    ) -> None:
        self._maybe_look(trainer, pl_module)

    def state_dict(self) -> dict[str, Any]:
        return {"last": self._last}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._last = state_dict["last"]

    def _maybe_look(self, trainer: lightning.Trainer, module: lightning.LightningModule) -> None:
        step = trainer.global_step
        if step in self.steps and step > self._last:
            self._last = step
            if trainer.is_global_zero:
                with self.watched.phase("watching"):
                    self.look(step, read_tables(module.model, self.watched, step), module.model)


def read_tables(model: Any, watched: Watched, step: int) -> dict[str, TokenTable]:
    """E, and U unless it is the very same tensor, as float32 copies on the CPU."""
    weights: dict[str, torch.Tensor] = {"E": model.embedding.weight}
    if model.head.weight is not model.embedding.weight:
        weights["U"] = model.head.weight
    return {
        name: TokenTable(
            vectors=weight.detach().to("cpu", torch.float32, copy=True).numpy(),
            tokens=watched.tokens,
            counts=None if watched.counts is None else np.asarray(watched.counts),
            special=watched.special,
            source={"table": name, "step": str(step)},
        )
        for name, weight in weights.items()
    }
