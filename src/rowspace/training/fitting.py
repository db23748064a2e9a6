"""Puts task, batches and callbacks into a Lightning trainer and runs it, from the start or from a checkpoint.

The whole run is one Lightning epoch of `total_steps` batches: epochs of the data are the loader's own affair. Lightning
neither logs, evaluates nor saves here; each of that is a callback, in an order that a resume can rely on.

Budget: `fit` is longer than 40 lines, a third of which are its parameters.
"""

from __future__ import annotations

import hashlib
import logging
import random
import signal
import warnings
from collections.abc import Callable, Mapping, Sequence, Sized
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as lightning
import torch

from rowspace.callbacks.checkpointing import Checkpointing
from rowspace.callbacks.evaluation import Validation
from rowspace.callbacks.finite import Finite
from rowspace.callbacks.losses import Losses
from rowspace.callbacks.page import PageWriting
from rowspace.callbacks.progress import TrainingProgress
from rowspace.callbacks.random_states import RandomStates
from rowspace.callbacks.recorder import Silent
from rowspace.callbacks.stopping import Stopping
from rowspace.data.batches import TrainingBatches
from rowspace.data.stream import TokenStream
from rowspace.errors import ConfigError, MachineError, Stopped
from rowspace.model.allocator import keep_pages
from rowspace.runfolder import RunFolder
from rowspace.table import Missing
from rowspace.terminal import Terminal, visible
from rowspace.training import bf16
from rowspace.training.atomic_io import AtomicIO
from rowspace.training.base import TrainerOption
from rowspace.training.ranks import Ranks
from rowspace.training.sinks import Sinks
from rowspace.training.stalling import Watchdog
from rowspace.training.starting import ResumePoint
from rowspace.training.strategies import choose_strategy, refuse_devices, takes_gpu
from rowspace.training.task import Task

PRECISIONS: dict[str, Any] = {"fp32": "32-true", "bf16": "bf16-mixed"}


def prepare_machine(option: TrainerOption, say: Callable[[str], None]) -> None:
    """Threads and allocator of this process, before anything is computed in it; what bf16 costs, where it is asked.
    ConfigError where the machine lacks the devices."""
    refuse_devices(option)
    torch.set_num_threads(option.threads)
    if torch.get_num_threads() != option.threads:
        given = f"{option.threads} threads were asked and torch takes {torch.get_num_threads()}"
        raise MachineError(f"trainer.threads: {given}; unset OMP_THREAD_LIMIT or ask for what it allows")
    if option.allocator == "keep":
        keep_pages()
    if option.precision == "bf16" and not takes_gpu(option) and (slow := bf16.warning()):
        say(slow)


def fit(
    task: Task,
    batches: TrainingBatches,
    *,
    option: TrainerOption,
    folder: RunFolder,
    sinks: Sinks | Silent,
    watchers: Sequence[lightning.Callback],
    evaluate: Callable[[], Mapping[str, float | Missing]],
    write_page: Callable[[], Any],
    refuse: Callable[[int], None],
    terminal: Terminal,
    seed: int,
    resume: ResumePoint | None,
    ranks: Ranks,
    watchdog: Watchdog,
) -> None:
    """Train to the last step, from `resume` if it is given. Raises Stopped when a signal ended it, checkpoint saved.

    The order of the callbacks is the order of what a step does: check, log, watch, validate, show, page, save. All
    ranks go through the same callbacks; those beside rank 0 have silent `sinks`, and hear how a validation went.
    """
    total = task.total_steps
    if resume is not None:
        terminal.say(f"resuming after step {resume.step} of {total}")
        if resume.step == total:  # killed between the last step and the result
            return
    if option.compile:
        task.model.compile()
    _seed(rank_seed(seed, ranks.rank))
    stopping = Stopping(say=terminal.say, largest=ranks.largest)
    shared = partial(_shared, evaluate, ranks)
    validation = Validation(recorder=sinks, evaluate=shared, every=option.val_every, total_steps=total)
    saving = {"last": folder.last, "best": folder.best, "every": option.checkpoint_every, "total_steps": total}
    page = write_page if ranks.rank == 0 else lambda: None
    shown = {"draw": terminal.progress, "latest": lambda: sinks.latest, "moved": watchdog.step_done}
    callbacks = [
        stopping,
        Finite(refuse=refuse, matters=_matters(option, watchers, stopping, total)),
        Losses(recorder=sinks, every=option.log_every, total_steps=total),
        *watchers,
        validation,
        TrainingProgress(**shown, total_steps=total),
        PageWriting(write=page, flush=sinks.flush, validation=validation, warn=terminal.say),
        Checkpointing(**saving, validation=validation, stopping=stopping, rows=sinks.rows, saved=watchdog.saved),
        RandomStates(rank=ranks.rank, gather=ranks.gather),
    ]
    known = {"option": option, "callbacks": callbacks, "ranks": ranks}
    run_steps(task, batches, **known, resume=None if resume is None else resume.path)
    terminal.clear()
    if stopping.heard is not None:
        raise Stopped(stopping.heard)


def _shared(evaluate: Callable[[], Mapping[str, float | Missing]], ranks: Ranks) -> dict[str, float | Missing]:
    """What rank 0 finds, on every rank: the others wait for it."""
    found = evaluate() if ranks.rank == 0 else {}
    if ranks.count == 1:
        return dict(found)
    said = ranks.share({key: {"why": v.reason} if isinstance(v, Missing) else v for key, v in found.items()})
    return {key: Missing(value["why"]) if isinstance(value, dict) else value for key, value in said.items()}


def rank_seed(seed: int, rank: int) -> int:
    """The seed of a rank's own generators: rank 0 has that of the run, so that one process draws what it always did."""
    if rank == 0:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed}/rank {rank}".encode()).digest()[:4], "big") % 2**31


def _seed(seed: int) -> None:
    """Start the global generators, which dropout draws from; a resume puts its own states over this."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def _matters(
    option: TrainerOption, watchers: Sequence[lightning.Callback], stopping: Stopping, total: int
) -> Callable[[int], bool]:
    """Whether something is logged, measured or saved after a step."""
    cadences = (option.log_every, option.val_every, option.checkpoint_every)
    watched = frozenset().union(*(getattr(watcher, "steps", ()) for watcher in watchers)) | {total}
    return lambda step: stopping.asked is not None or step in watched or any(step % every == 0 for every in cadences)


QUIET: dict[str, Any] = {
    "logger": False,
    "enable_checkpointing": False,
    "enable_progress_bar": False,
    "enable_model_summary": False,
    "limit_val_batches": 0,
    "num_sanity_val_steps": 0,
    "use_distributed_sampler": False,
}
"""What Lightning would do by itself and is done by callbacks here."""


def run_steps(
    task: Task,
    batches: Sized,
    *,
    option: TrainerOption,
    callbacks: list[lightning.Callback],
    resume: Path | None,
    ranks: Ranks | None = None,
) -> None:
    """Lightning's part, without its advertisements, its progress bar and its own signal handlers' exit codes.

    `batches` has a length: without one Lightning fetches a batch ahead, and each resume would skip one.
    """
    for name in ("pytorch_lightning", "lightning_fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with warnings.catch_warnings():
        # Lightning 2.6.6 on torch 2.13, at every fit
        warnings.filterwarnings("ignore", message=".*LeafSpec.*", category=FutureWarning)
        trainer = lightning.Trainer(
            accelerator=option.accelerator,
            devices=option.devices,
            strategy=choose_strategy(option, ranks or Ranks()),
            precision=PRECISIONS[option.precision],
            max_steps=task.total_steps,
            max_epochs=-1,
            callbacks=callbacks,
            plugins=[AtomicIO()],
            **QUIET,
        )
        try:
            trainer.fit(task, batches, ckpt_path=resume, weights_only=True)
        except SystemExit as ended:  # a signal in the moments when Lightning's handlers are the ones in place
            number = signal.SIGINT if isinstance(ended.__context__, KeyboardInterrupt) else signal.SIGTERM
            raise Stopped(number) from ended
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)


def refuse_step(step: int, batches: TrainingBatches, stream: TokenStream) -> None:
    """ConfigError for a step (0-based) whose loss or gradient was no finite number: where, on what, what to try."""
    documents = batches.documents_at(step).tolist()
    shown = "; ".join(f"{number}: {_excerpt(stream.texts[number])}" for number in documents[:3])
    more = f" and {len(documents) - 3} more" if len(documents) > 3 else ""
    tries = "a smaller optimizer.lr, a smaller trainer.clip, a longer schedule.warmup_steps or trainer.precision=fp32"
    raise ConfigError(
        f"the loss or its gradient is not a finite number at step {step + 1}, on the training documents {shown}{more}; "
        f"try {tries}"
    )


def _excerpt(text: bytes) -> str:
    return f"'{visible(text[:60].decode('utf-8', 'replace'))}{'...' if len(text) > 60 else ''}'"
