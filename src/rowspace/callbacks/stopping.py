"""Hears Ctrl-C and SIGTERM as a wish to stop after the step in hand; a second one stops at once.

Handlers are ours only while steps run. Lightning's own would exit 1 on the first and save nothing on the second.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytorch_lightning as lightning

from rowspace.errors import Stopped

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopping(lightning.Callback):
    """`heard` is the number of the signal that came, or None; `asked` the same, once the step in hand is over and every
    rank knows. `say` tells the user what happens now. `largest(number)` is the largest of what each rank says, where
    there are several: all of them stop after the same step. Belongs first.
    """

    def __init__(self, *, say: Callable[[str], None], largest: Callable[[int], int] = int) -> None:
        self.heard: int | None = None
        self.asked: int | None = None
        self._say = say
        self._largest = largest
        self._before: dict[int, Any] = {}

    def on_train_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        try:
            for number in SIGNALS:
                self._before[number] = signal.signal(number, self._hear)
        except ValueError:  # signals reach the main thread of a process only
            return

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        number = self._largest(self.heard or 0)
        if number:
            self.heard = self.asked = number

    def on_train_end(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        self._give_back()

    def on_exception(self, trainer: lightning.Trainer, pl_module: Any, exception: BaseException) -> None:
        self._give_back()

    def _hear(self, number: int, frame: Any) -> None:
        if self.heard is not None:
            raise Stopped(number)
        self.heard = number
        self._say("stopping after this step, with a checkpoint; once more stops at once")

    def _give_back(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}
