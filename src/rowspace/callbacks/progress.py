"""Shows that training moves: steps, loss, bits per byte, tokens per second, and the time left.

Reads what was recorded; never waits for the device itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import pytorch_lightning as lightning

REFRESH = 0.5
"""Seconds between two looks: a step may take less than drawing it."""


class TrainingProgress(lightning.Callback):
    """`draw(label, done, total, text)`; `latest()` gives the last recorded value of every metric key; `moved(step)` is
    called after every step."""

    def __init__(
        self,
        *,
        draw: Callable[[str, int, int, str], None],
        latest: Callable[[], Mapping[str, float | None]],
        total_steps: int,
        moved: Callable[[int], None] = lambda step: None,
    ) -> None:
        self._moved = moved
        self._draw = draw
        self._latest = latest
        self._total_steps = total_steps
        self._drawn = 0.0

    def on_train_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        self._draw("training", trainer.global_step, self._total_steps, "")

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        now, step = time.monotonic(), trainer.global_step
        self._moved(step)
        if now - self._drawn < REFRESH and step != self._total_steps:
            return
        self._drawn = now
        self._draw("training", step, self._total_steps, standing(self._latest()))


def standing(latest: Mapping[str, float | None]) -> str:
    """How a run stands, from its last recorded values: `loss 4.812, 2.301 bpb, 21,340 tokens/s`."""
    forms = {"train/loss": "loss {:.3f}", "val/bpb": "{:.3f} bpb", "train/tokens_per_second": "{:,.0f} tokens/s"}
    values = {key: latest.get(key) for key in forms}
    return ", ".join(forms[key].format(value) for key, value in values.items() if value is not None)
