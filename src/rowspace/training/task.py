"""The training step: one optimizer step a batch, its gradient that of the mean over all of the batch's tokens.

Micro-batches are made and accumulated here, and not by Lightning, whose accumulation averages the means of unequal
parts. Every rank is given the whole batch of a step and takes every N-th micro-batch: so each knows over how many
tokens the mean goes, and only gradients and sums of nats travel. The learning rate is a function of the step alone, so
that a resume needs no state for it. Nothing here waits for the device: sums stay tensors until somebody asks. Does not
log, evaluate or save.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import pytorch_lightning as lightning
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from rowspace.errors import MachineError
from rowspace.model.certificates import TieCertificate
from rowspace.model.language_model import LanguageModel
from rowspace.training.base import ScheduleOption
from rowspace.training.checkpoints import KEY, WITNESS
from rowspace.training.optimizer import clip_gradients
from rowspace.training.ranks import Ranks


class Tally(NamedTuple):
    """What was trained on since the last `Task.take_tally`, and in all."""

    loss: float
    """Mean nats per scored token since the last one."""
    grad_norm: float
    """L2 norm of the last gradient, before clipping."""
    lr: float
    """Learning rate of the last step."""
    tokens: int
    """Scored tokens of the whole run so far."""
    bytes: int
    """Source bytes of those tokens."""


class Task(lightning.LightningModule):
    """Next-token training of `model` for `total_steps` steps.

    `facts` go into every checkpoint: the hashes of the configuration and the tokenizer, and the number of threads.
    `tie` sees the model when it is moved, resumed and saved. `trace`, if a callback sets it, is shown the final states
    and the loss of each micro-batch before its backward pass; it may read the graph and must leave it as it is.
    """

    def __init__(
        self,
        *,
        model: LanguageModel,
        optimizer: Callable[[nn.Module], torch.optim.Optimizer],
        schedule: ScheduleOption,
        total_steps: int,
        accumulate: int,
        clip: float | None,
        tie: TieCertificate,
        facts: Mapping[str, Any],
        ranks: Ranks | None = None,
    ) -> None:
        super().__init__()
        self.automatic_optimization = False
        self._ranks = ranks or Ranks()
        self.model = model
        self.total_steps = total_steps
        self._facts = dict(facts)
        self._tie = tie
        self._loaded: float | None = None
        self._optimizer = optimizer
        self._schedule = schedule
        self.trace: Callable[[Tensor, Tensor], None] | None = None
        self._accumulate = accumulate
        self._clip = math.inf if clip is None else clip
        self._lr = 0.0
        self._nats = torch.zeros((), dtype=torch.float64)
        self._counts = torch.zeros(3, dtype=torch.int64)  # targets since the last tally, targets, bytes of the run
        self._grad_norm = torch.zeros(())
        self._bad_step = torch.full((), -1, dtype=torch.int64)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return self._optimizer(self.model)

    def on_fit_start(self) -> None:
        """The model is where it trains, with the weights that it starts from; the sums live there too."""
        resumed = self._loaded is not None
        try:
            self._tie.passed("resume" if resumed else "move", self.model, self._loaded if resumed else self._tie.loss)
        except MachineError as error:
            raise MachineError(f"{self.trainer.ckpt_path}: {error}" if resumed else str(error)) from error
        for name in ("_nats", "_counts", "_grad_norm", "_bad_step"):
            setattr(self, name, getattr(self, name).to(self.device))

    def training_step(self, batch: Any, batch_idx: int) -> None:
        """One optimizer step on a `rowspace.data.batches.Batch` of all micro-batches of all ranks together."""
        step = self.global_step
        optimizer: Any = self.optimizers()
        self._set_lr(optimizer, step)
        scored = (batch.targets >= 0).sum()
        optimizer.zero_grad(set_to_none=True)
        nats = torch.zeros((), dtype=torch.float64, device=self.device)
        N = self._ranks.count
        parts = list(_parts(batch, self._accumulate * N))[self._ranks.rank :: N]
        for number, part in enumerate(parts, start=1):
            states = self.model(part.ids, part.positions, part.segments, part.source)
            part_nats, _ = self.model.loss(states, part.targets)
            if self.trace is not None:
                self.trace(states, part_nats)
            with self._averaged(number == len(parts)):
                self.manual_backward(part_nats * N / scored.clamp(min=1))  # gradients of N ranks are averaged
            nats += part_nats.detach()
        self._ranks.add(nats)
        self._grad_norm = clip_gradients(self.model.parameters(), self._clip)
        optimizer.step()
        self._add(step, nats, scored, batch.target_bytes)

    def _averaged(self, whole: bool) -> AbstractContextManager[None]:
        """A backward pass whose gradients are averaged over the ranks once the `whole` of this rank's is there."""
        strategy: Any = self.trainer.strategy
        return nullcontext() if whole else getattr(strategy, "block_backward_sync", nullcontext)()

    def take_tally(self) -> Tally:
        """What happened since the last call; waits for the device."""
        targets, tokens, of_bytes = self._counts.tolist()
        loss = self._nats.item() / max(targets, 1)
        self._nats.zero_()
        self._counts[0] = 0
        return Tally(loss, self._grad_norm.item(), self._lr, tokens, of_bytes)

    def tokens_seen(self) -> int:
        """Scored tokens of the whole run so far; waits for the device."""
        return int(self._counts[1])

    def grad_norm(self) -> float:
        """L2 norm of the last gradient before clipping; waits for the device."""
        return self._grad_norm.item()

    def bad_step(self) -> int | None:
        """The first step whose loss or gradient was not finite, if there was one; waits for the device."""
        step = int(self._bad_step.item())
        return None if step < 0 else step

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keep what binds the file to its run, and the sums of a half-finished logging interval; plain values only."""
        checkpoint[KEY] = self._facts
        checkpoint[WITNESS] = self._tie.passed("save", self.model)
        checkpoint["tally"] = {"nats": self._nats.item(), "counts": self._counts.tolist()}

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        self._loaded = checkpoint[WITNESS]
        self._nats = torch.tensor(checkpoint["tally"]["nats"], dtype=torch.float64)
        self._counts = torch.tensor(checkpoint["tally"]["counts"], dtype=torch.int64)

    def _set_lr(self, optimizer: Any, step: int) -> None:
        factor = self._schedule.factor(step, self.total_steps)
        for group in optimizer.param_groups:
            group["lr"] = group.setdefault("initial_lr", group["lr"]) * factor
        self._lr = optimizer.param_groups[0]["lr"]

    def _add(self, step: int, nats: Float[Tensor, ""], scored: Int[Tensor, ""], of_bytes: Int[Tensor, "B T"]) -> None:
        finite = torch.isfinite(nats) & torch.isfinite(self._grad_norm)
        self._bad_step = torch.where(finite | (self._bad_step >= 0), self._bad_step, step)
        self._nats += nats
        self._counts += torch.stack([scored, scored, of_bytes.sum().to(torch.int64)])


def _parts(batch: Any, n: int) -> Iterator[Any]:
    """The batch cut into n micro-batches of rows; fewer where it has fewer rows."""
    n = min(n, len(batch.ids))
    fields = [None if field is None else torch.tensor_split(field, n) for field in batch]
    for index in range(n):
        yield type(batch)(*(None if field is None else field[index] for field in fields))
