"""What the training options declare. Imports no torch: objects are built inside `build`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from math import ceil
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import Field

from rowspace.errors import ConfigError, Problem
from rowspace.registry import Aside, Option

Mode = Literal["offline", "online", "disabled"]


class OptimizerOption(Option):
    """How gradients become updates."""

    name: str
    lr: float = Field(gt=0)
    """Learning rate; the schedule multiplies it."""
    weight_decay: float = Field(ge=0)
    """Decay of the matrices (decoupled from the gradient where the optimizer says so)."""
    decay_embedding: bool
    """E takes part in weight decay (tied: U with it). Under decay every row moves at every step, seen or not."""
    embedding_lr_factor: float = Field(ge=0)
    """Factor on the learning rate of E (tied: U with it); 0 leaves it as it starts."""
    sparse_embedding: ClassVar[bool] = False
    """Reads a gradient of E that has only the rows of the batch."""

    @property
    @abstractmethod
    def kept_per_parameter(self) -> int:
        """Numbers that it keeps beside each parameter, for the estimate of memory."""

    @abstractmethod
    def build(self, groups: list[dict[str, Any]]) -> Any:
        """The torch optimizer over named parameter groups (see `rowspace.training.optimizer`)."""


class ScheduleOption(Option):
    """Learning rate over the run, as a factor of the optimizer's own."""

    name: str
    warmup_steps: int = Field(ge=0)
    """Steps over which the rate rises linearly to its full value; scaled down where the budget is not longer."""

    def warmup(self, total_steps: int) -> int:
        """Steps of warm-up that really happen: those asked, or a tenth of a budget that is not longer than them."""
        return self.warmup_steps if self.warmup_steps < total_steps else total_steps // 10

    def remarks(self, run: Any, steps: int) -> Iterator[str]:
        """Whether the warm-up is shorter than asked."""
        real = self.warmup(steps)
        if real != self.warmup_steps:
            yield f"Warm-up scaled from {self.warmup_steps} to {real} steps: the whole run has {steps}."

    def factor(self, step: int, total_steps: int) -> float:
        """Factor at 0-based `step` of `total_steps`; plain arithmetic. The rise to 1 first, then `after_warmup`."""
        warmup = self.warmup(total_steps)
        if step < warmup:
            return (step + 1) / (warmup + 1)
        return self.after_warmup(step - warmup, max(total_steps - warmup, 1))

    @abstractmethod
    def after_warmup(self, step: int, total_steps: int) -> float:
        """Factor at 0-based `step` of the `total_steps` that follow the warm-up."""


class TrainerOption(Option):
    """Budget, batches, cadence and machine."""

    name: str
    max_steps: int | None = Field(ge=1)
    """Optimizer steps."""
    max_tokens: int | None = Field(ge=1)
    """Scored tokens, rounded up to whole steps."""
    max_epochs: float | None = Field(gt=0)
    """Passes over the training stream, rounded up to whole steps; may be a fraction."""
    batch_size: int = Field(ge=1)
    """Windows of model.n_ctx tokens in a micro-batch."""
    accumulate: int = Field(ge=1)
    """Micro-batches of a device in an optimizer step. The gradient is that of the mean over all tokens of the step, on
    all devices, however unequal."""
    clip: float | None = Field(gt=0)
    """Largest L2 norm of the whole gradient; null does not clip."""
    precision: Literal["fp32", "bf16"]
    """fp32, or bf16 autocast."""
    accelerator: Literal["auto", "cpu", "gpu"]
    """Where the model lives."""
    devices: int = Field(ge=1, le=64)
    """Processes that train one model together, a GPU each, or CPU threads each. They share the micro-batches of a step,
    accumulate * devices of them, and add in another order than one does: part of a run's hash."""
    strategy: Literal["auto", "ddp", "fsdp"]
    """How devices share the work. ddp: each has the whole model. auto is ddp. fsdp is refused, with the reason."""
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
    stall_timeout: Annotated[float | None, Aside(), Field(gt=0)]
    """Seconds without anything done after which the run is ended as failed, its checkpoint kept; null waits. What
    counts: steps, scored batches, probes, pages, and what readers of text and fits report (bpe, unigram: their end)."""

    def windows_per_step(self) -> int:
        """Windows in an optimizer step, over all devices."""
        return self.batch_size * self.accumulate * self.devices

    def steps(self, *, n_ctx: int, windows: int) -> int:
        """Optimizer steps of the whole run, where an epoch of the stream has `windows` windows of n_ctx tokens."""
        if self.max_steps is not None:
            return self.max_steps
        if self.max_tokens is not None:
            return ceil(self.max_tokens / (self.windows_per_step() * n_ctx))
        assert self.max_epochs is not None  # the option's own rule: exactly one of the three
        return ceil(self.max_epochs * windows / self.windows_per_step())


class LoggerOption(Option):
    """Where a run is logged beside its own folder. What the environment says (WANDB_...) wins over the file."""

    name: str
    mode: Mode
    """offline writes files to sync later, online uploads as it goes, disabled writes nothing."""
    project: str
    """Project of the dashboard."""
    entity: str | None
    """User or team; null is the default of the account."""
    tags: list[str]
    """Labels to filter by."""
    notes: str | None
    """A sentence about this run."""

    def within(self, environment: Mapping[str, str], overrides: Iterable[str]) -> LoggerOption:
        """These values where the command line gave them; else those of the environment; else those of the file."""
        said = {override.lstrip("+~").split("=")[0] for override in overrides}
        names = {"mode": "WANDB_MODE", "project": "WANDB_PROJECT", "entity": "WANDB_ENTITY", "notes": "WANDB_NOTES"}
        found: dict[str, object] = {
            field: environment[name]
            for field, name in names.items()
            if environment.get(name) and f"logger.{field}" not in said
        }
        if environment.get("WANDB_TAGS") and "logger.tags" not in said:
            found["tags"] = [tag.strip() for tag in environment["WANDB_TAGS"].split(",")]
        if environment.get("WANDB_DISABLED", "").lower() in ("true", "1") and "logger.mode" not in said:
            found["mode"] = "disabled"
        if found.get("mode", self.mode) not in get_args(Mode):
            raise ConfigError(Problem("WANDB_MODE", f"{found['mode']!r} was given", "offline, online or disabled"))
        return type(self).model_validate({**self.model_dump(), **found})
