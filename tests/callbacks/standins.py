"""Stand-ins for a Lightning trainer and a task, so that a callback is tested alone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch


class Recorder:
    def __init__(self) -> None:
        self.got: list[tuple[int, dict[str, Any]]] = []

    def scalars(self, step: int, values: Any) -> None:
        self.got.append((step, dict(values)))

    def table(self, step: int, name: str, rows: Any) -> None: ...

    def figure(self, step: int, name: str, figure: Any) -> None: ...


class Trainer:
    """Counts steps, and notes what is saved."""

    def __init__(self) -> None:
        self.global_step = 0
        self.should_stop = False
        self.saved: list[tuple[str, int]] = []

    def save_checkpoint(self, path: Path, weights_only: bool | None = None) -> None:
        self.saved.append((f"{path.name}{' weights' if weights_only else ''}", self.global_step))


class Task:
    device = torch.device("cpu")

    def __init__(self) -> None:
        self.bad: int | None = None
        self.tokens = 0

    def bad_step(self) -> int | None:
        return self.bad

    def tokens_seen(self) -> int:
        return self.tokens

    def take_tally(self) -> Any:
        return SimpleNamespace(loss=2.0, grad_norm=0.5, lr=0.1, tokens=self.tokens, bytes=7)


def steps(trainer: Trainer, task: Task, n: int, *callbacks: Any, tokens: int = 0) -> None:
    """n steps of the given callbacks, as Lightning calls them."""
    for _ in range(n):
        for callback in callbacks:
            callback.on_train_batch_start(trainer, task, None, 0)
        trainer.global_step += 1
        task.tokens += tokens
        for callback in callbacks:
            callback.on_train_batch_end(trainer, task, None, None, 0)
        if trainer.should_stop:
            return
