"""Budget, batches, cadence and machine of a training run.

Plain arithmetic only: the Lightning trainer is made in `rowspace.training.fitting`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from rowspace.errors import Problem
from rowspace.registry import Aside, register
from rowspace.training.base import TrainerOption

BUDGETS = ("max_steps", "max_tokens", "max_epochs")


@register("trainer")
class Trainer(TrainerOption):
    """A budget in steps, tokens or epochs, never in seconds: a run must not depend on how busy the machine is."""

    name: Literal["default"]
    max_steps: int | None = Field(ge=1)
    """Optimizer steps."""
    max_tokens: int | None = Field(ge=1)
    """Scored tokens, rounded up to whole steps."""
    max_epochs: float | None = Field(gt=0)
    """Passes over the training stream, rounded up to whole steps; may be a fraction."""
    batch_size: int = Field(ge=1)
    """Windows of model.n_ctx tokens in a micro-batch."""
    accumulate: int = Field(ge=1)
    """Micro-batches in an optimizer step. The gradient is that of the mean over all their tokens, however unequal."""
    clip: float | None = Field(gt=0)
    """Largest L2 norm of the whole gradient; null does not clip."""
    precision: Literal["fp32", "bf16"]
    """fp32, or bf16 autocast."""
    accelerator: Literal["auto", "cpu", "gpu"]
    """Where the model lives."""
    threads: int = Field(ge=1, le=1024)
    """CPU threads of torch. Other numbers add in another order and give other weights."""
    log_every: int = Field(ge=1)
    """Steps between logged rows."""
    val_every: int = Field(ge=1)
    """Steps between validations."""
    checkpoint_every: int = Field(ge=1)
    """Steps between saves of last.ckpt: what a kill can cost."""
    continue_from: Annotated[str | None, Aside()]
    """Folder of a finished run whose last weights are the start; its tokenizer must be the same."""
    allocator: Literal["keep", "system"]
    """keep: freed blocks stay with the process (glibc), which spares page faults and costs peak memory."""
    compile: bool
    """torch.compile the model."""
    progress: Annotated[Literal["auto", "bar", "lines", "none"], Aside()]
    """How a run shows that it moves."""

    def problems(self, run: Any) -> Iterator[Problem]:
        chosen = [budget for budget in BUDGETS if getattr(self, budget) is not None]
        if len(chosen) != 1:
            given = " and ".join(f"{budget}={getattr(self, budget)}" for budget in chosen) or "no budget"
            right = "exactly one of trainer.max_steps, trainer.max_tokens, trainer.max_epochs; set the others to null"
            yield Problem("trainer", f"{given} was given", right)

    def windows_per_step(self) -> int:
        """Windows in an optimizer step."""
        return self.batch_size * self.accumulate

    def steps(self, *, n_ctx: int, windows_per_epoch: int | None) -> int | None:
        """Optimizer steps of the whole run. None where max_epochs waits for a stream that is not built yet."""
        if self.max_steps is not None:
            return self.max_steps
        if self.max_tokens is not None:
            return math.ceil(self.max_tokens / (self.windows_per_step() * n_ctx))
        if windows_per_epoch is None or self.max_epochs is None:
            return None
        return math.ceil(self.max_epochs * windows_per_epoch / self.windows_per_step())
