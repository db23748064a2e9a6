"""Stops a run whose loss or gradient is no finite number, before anything is measured, logged or saved of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytorch_lightning as lightning


class Finite(lightning.Callback):
    """Belongs first. `refuse(step)` raises for a 0-based step that was not finite; it knows the batch.

    On a CPU every step is looked at, which costs nothing there. Elsewhere looking means waiting for the device, so
    only steps are looked at after which something happens: `matters(step)`.
    """

    def __init__(self, *, refuse: Callable[[int], None], matters: Callable[[int], bool]) -> None:
        self._refuse = refuse
        self._matters = matters

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if pl_module.device.type == "cpu" or self._matters(trainer.global_step):
            bad_step = pl_module.bad_step()
            if bad_step is not None:
                self._refuse(bad_step)
