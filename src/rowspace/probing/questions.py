"""Asks probes of a run while it trains: the same questions as `rowspace probe`, to the live model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from rowspace.callbacks.base import Watched
from rowspace.callbacks.cadence import Watcher
from rowspace.probing.base import ProbeOption, RunSubject
from rowspace.table import TokenTable


class QuestionsCallback(Watcher):
    """Numbers of every question at every look, whole answers at some. What does not fit the run is not asked."""

    def __init__(
        self,
        *,
        recorder: Any,
        watched: Watched,
        steps: frozenset[int],
        tables: frozenset[int],
        questions: Mapping[str, ProbeOption],
    ) -> None:
        super().__init__(recorder=recorder, watched=watched, steps=steps | tables)
        self._tables = tables
        self._questions = questions
        self._cache: dict[Any, Any] = {}

    def look(self, step: int, tables: Mapping[str, TokenTable], model: Any) -> None:
        subject = self._subject(step, tables, model)
        with reading(model):
            for name, option in self._questions.items():
                if option.fits(subject) is not None:
                    continue
                with self.watched.phase(f"probe {name}"):
                    findings = option.measure([subject], progress=lambda label, done, total: None)
                    self.recorder.scalars(step, findings.all_numbers())
                    if step in self._tables:
                        self.recorder.answer(step, name, findings)

    def _subject(self, step: int, tables: Mapping[str, TokenTable], model: Any) -> RunSubject:
        watched = self.watched
        assert watched.stream is not None
        initial = watched.initial
        assert initial is not None
        return RunSubject(
            path=watched.path,
            name=watched.path.rpartition("/")[2],
            tables=tables,
            chosen="E",
            encode=watched.encode,
            truth=watched.truth,
            seed=watched.seed,
            step=step,
            cache=self._cache,
            config=watched.config,
            tokenizer=watched.tokenizer,
            model=model,
            counts=watched.counts,
            stream=watched.stream,
            initial=lambda: initial().eval(),
        )


@contextmanager
def reading(model: Any) -> Iterator[None]:
    """The model in evaluation mode and without gradients, and as it was afterwards."""
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(training)
