"""A few real training steps on a copy of a model: what a step does can be looked at, and the model stays as it is.

The very task, optimizer and schedule of a run, on the CPU and in the copy's own precision. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import pytorch_lightning as lightning
import torch

from rowspace.callbacks.base import Watched
from rowspace.callbacks.updates import UpdatesCallback
from rowspace.data.batch import Batch
from rowspace.model.certificates import TieCertificate
from rowspace.model.language_model import LanguageModel
from rowspace.table import Missing
from rowspace.training import optimizer
from rowspace.training.base import OptimizerOption, ScheduleOption, TrainerOption
from rowspace.training.fitting import run_steps
from rowspace.training.task import Task

ALONE: dict[str, Any] = {
    "accelerator": "cpu",
    "devices": 1,
    "strategy": "auto",
    "precision": "fp32",
    "compile": False,
    "continue_from": None,
}
"""Settings of a trainer that say where and how fast, and not what."""


SEED = 0
"""Of dropout masks: those of one rehearsal are those of another."""


@dataclass(frozen=True)
class Rehearsal:
    """The copy after its steps, the mean nats of each, and what the audit of updates says of each, by metric key."""

    model: LanguageModel
    losses: list[float]
    audits: list[dict[str, Any]]


def rehearse(
    model: LanguageModel,
    batches: Sequence[Batch],
    *,
    optimizer_option: OptimizerOption,
    schedule: ScheduleOption,
    trainer: TrainerOption,
) -> Rehearsal:
    """Train a copy of the model, in its own type, a step a batch; the options are those of a run.

    torch's global generator is left as it was.
    """
    made = deepcopy(model).train()
    steps = frozenset(range(1, len(batches) + 1))
    watching = _Watching(steps)
    task = Task(
        model=made,
        optimizer=lambda module: optimizer.build(module, optimizer_option),
        schedule=schedule,
        total_steps=len(batches),
        accumulate=1,
        clip=trainer.clip,
        tie=TieCertificate(made.tied),
        facts={},
    )
    alone = trainer.model_copy(update=ALONE)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(SEED)
        run_steps(task, _Steps(batches), option=alone, callbacks=[watching.updates, watching], resume=None)
    return Rehearsal(made.eval(), watching.losses, [watching.numbers[step] for step in sorted(steps)])


class _Watching(lightning.Callback):
    """Keeps the loss of each step, and what the audit of updates records."""

    def __init__(self, audits: frozenset[int]) -> None:
        self.losses: list[float] = []
        self.numbers: dict[int, dict[str, float | Missing]] = {}
        watched = Watched(
            tokens=(), counts=None, special=frozenset(), encode=lambda text: (), total_steps=len(audits), seed=SEED
        )
        self.updates = UpdatesCallback(
            recorder=self, watched=watched, audits=audits, tables=frozenset(), first=dict, tell=lambda *_, **__: None
        )

    def on_train_batch_end(self, trainer: Any, pl_module: Any, *_: Any) -> None:
        self.losses.append(pl_module.take_tally().loss)

    def scalars(self, step: int, numbers: Mapping[str, float | Missing]) -> None:
        """What a recorder is told."""
        self.numbers.setdefault(step, {}).update(numbers)


class _Steps:
    """Batches with a length, one a step."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self._batches = batches

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[Batch]:
        return iter(self._batches)
