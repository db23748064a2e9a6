"""Our training as a user gets it: Lightning, logging, sinks and watchers, on real text.

The CPU seconds of a step are taken between ends of steps, by a callback that stands among the watchers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from functools import cached_property, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytorch_lightning as lightning
from hydra import compose, initialize_config_dir

from rowspace.claim import claim
from rowspace.composition import conf_dir, plain
from rowspace.config import RunConfig, load
from rowspace.data.batches import TrainingBatches
from rowspace.data.cache import cache_root
from rowspace.data.splitting import split
from rowspace.data.stream import open_or_build
from rowspace.model.certificates import TieCertificate
from rowspace.model.language_model import build
from rowspace.probing.watching import evenly_spaced
from rowspace.report.page import Page
from rowspace.terminal import Terminal
from rowspace.tokenization.artifact import fit_cached
from rowspace.training import optimizer
from rowspace.training.fitting import fit
from rowspace.training.ranks import Ranks
from rowspace.training.sinks import open_sinks
from rowspace.training.stalling import Watchdog
from rowspace.training.starting import watch
from rowspace.training.task import Task
from tests.bench.clock import clock
from tests.bench.sizes import Size

WARM = 2
"""First steps, which are not counted."""


class StepClock(lightning.Callback):
    """The thread's clock at the end of every step."""

    def __init__(self) -> None:
        self.now = clock()
        self.ends: list[float] = []

    def on_train_batch_end(self, *_: Any) -> None:
        self.ends.append(self.now())

    def seconds(self) -> float:
        """A step, on average, after the first ones."""
        return (self.ends[-1] - self.ends[WARM - 1]) / (len(self.ends) - WARM)


class Product:
    """`step_seconds(steps)` trains that many steps and says what one took."""

    def __init__(self, size: Size) -> None:
        self.size = size
        sizes = {"d": size.d, "layers": size.L, "heads": size.H, "n_ctx": size.T, "dropout": 0.0}
        words = [f"model.{key}={value}" for key, value in sizes.items()]
        words += [f"tokenizer.vocab_size={size.V}", f"trainer.batch_size={size.B}", "study=bench", "trainer.threads=1"]
        self.config = composed([*words, "trainer.accelerator=cpu", "trainer.progress=none"])

    @cached_property
    def text(self) -> tuple[Any, Any, Any]:
        """Documents, tokenizer and training stream of the default corpus, from the cache if they are there."""
        documents = self.config.data.load(cache=cache_root())
        train = split(documents, self.config.data).train.texts
        tokenizer = fit_cached(self.config.tokenizer, train, cache_root())
        return documents, tokenizer, open_or_build(tokenizer, train, cache=cache_root())

    def step_seconds(self, steps: int) -> float:
        """Seconds of a step with logging and sinks, without measurements of the table."""
        return self._run(steps + WARM, watching=False)

    def watching_seconds(self) -> float:
        """Seconds that all measurements, tables, figures and pages of one whole run take."""
        option: Any = self.config.probes
        steps = option.passes + WARM
        extra = self._run(steps, watching=True) - self._run(steps, watching=False)
        counted = len([s for s in evenly_spaced(steps, option.passes) if s > WARM])
        return extra * (steps - WARM) * (option.passes + 1) / counted

    def _watchers(self, folder: Any, sinks: Any, steps: int) -> Sequence[Any]:
        documents, tokenizer, stream = self.text
        parts = {key: getattr(self.config, key) for key in ("model", "embedding", "position", "body", "head")}
        counts = stream.counts(tokenizer.vocab_size)
        feed: Any = SimpleNamespace(
            tokenizer=tokenizer, counts=counts, steps=steps, streams={"train": stream, "val": stream}
        )
        start = partial(build, **parts, vocab_size=tokenizer.vocab_size, seed=0)
        alone = {"phase": lambda name: nullcontext(), "mean": Ranks().mean}
        watched = watch(folder, self.config, feed, documents, initial=start, **alone)
        return self.config.probes.build(recorder=sinks, watched=watched)

    def _run(self, steps: int, *, watching: bool) -> float:
        _, tokenizer, stream = self.text
        config, timer = self.config, StepClock()
        order = {"batch_size": self.size.B, "seed": 0, "steps": steps, "n_ctx": self.size.T, "isolated": False}
        with (
            tempfile.TemporaryDirectory() as name,
            claim(Path(name) / "run", hash="bench", wait=False) as folder,
            open_sinks(folder, config.logger, columns={}, say=print) as sinks,
        ):
            watchers: Sequence[Any] = self._watchers(folder, sinks, steps) if watching else []
            fit(
                self._task(steps, tokenizer.sha256),
                TrainingBatches(stream, **order),
                option=config.trainer.model_copy(update={"val_every": 10**9, "checkpoint_every": 10**9}),
                folder=folder,
                sinks=sinks,
                watchers=[*watchers, timer],
                evaluate=lambda: {"val/loss": 1.0},
                write_page=partial(Page(folder).write, live=True) if watching else (lambda: None),
                refuse=lambda step: None,
                terminal=Terminal("none"),
                seed=0,
                resume=None,
                ranks=Ranks(),
                watchdog=Watchdog(),
            )
        return timer.seconds()

    def _task(self, steps: int, tokenizer: str) -> Task:
        return Task(
            model=self.size.model(),
            optimizer=partial(optimizer.build, option=self.config.optimizer),
            schedule=self.config.schedule,
            total_steps=steps,
            accumulate=1,
            clip=1.0,
            tie=TieCertificate(True),
            facts={"hash": "bench", "tokenizer": tokenizer, "threads": 1},
        )


def composed(words: Sequence[str]) -> RunConfig:
    """The typed config of `rowspace train WORDS`."""
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        return load(plain(compose("train", list(words))))
