"""Rewrites the run's page after each validation, so that it can be watched while training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytorch_lightning as lightning

from rowspace.callbacks.evaluation import Validation


class PageWriting(lightning.Callback):
    """Belongs after the validation and the watchers. `write()` makes the page, `flush()` the row in hand before."""

    def __init__(self, *, write: Callable[[], Any], flush: Callable[[], None], validation: Validation) -> None:
        self._write = write
        self._flush = flush
        self._validation = validation

    def on_train_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        self._flush()
        self._write()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if self._validation.evaluated:
            self._flush()
            self._write()
