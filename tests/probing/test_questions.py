"""Probes asked of a run while it trains: when, of what, and that asking leaves the model as it was."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Literal

import pytest
import torch

from rowspace.answers import Findings, Score
from rowspace.callbacks.base import Watched
from rowspace.probing.base import Needs, ProbeOption, RunSubject, Tables
from rowspace.probing.questions import QuestionsCallback, reading
from rowspace.table import TokenTable
from tests.callbacks.watched import Listed
from tests.probing.subjects import subject


class Width(ProbeOption):
    """How wide is the table? For tests."""

    needs: ClassVar[Needs] = "model"
    name: Literal["width"]
    asked: ClassVar[list[RunSubject]] = []

    def measure(self, subjects, *, progress):
        (one,) = subjects
        self.asked.append(one)
        assert not one.model.training
        assert not torch.is_grad_enabled()
        d = float(one.kept("width", lambda: one.table.d))
        score = Score("probe/width/d", "how wide", d, 0.0, 0.0, 1.0, n=1, asked=1)
        return Findings("How wide?", "So wide.", [score], {"width": [{"d": d}]}, [], dict, "r")


class Never(Width):
    """Fits nothing."""

    name: Literal["never"]

    def fits(self, subject):
        return "never"


@pytest.fixture
def run(tmp_path: Path) -> RunSubject:
    return subject(tmp_path)


def watched(run: RunSubject) -> Watched:
    return Watched(
        tokens=run.tokenizer.vocabulary, counts=run.counts, special=frozenset(), encode=run.tokenizer.encode,
        total_steps=4, seed=7, truth={"pairs": [("a", "b", "c")]}, path="outputs/s/run", config=run.config,
        tokenizer=run.tokenizer, stream=run.stream, initial=lambda: run.initial().train(),
    )  # fmt: skip


def ask(run: RunSubject, **questions: ProbeOption) -> Listed:
    recorder = Listed()
    steps, tables = frozenset({0, 2, 4}), frozenset({4})
    callback = QuestionsCallback(
        recorder=recorder, watched=watched(run), steps=steps, tables=tables, questions=questions
    )
    trainer: Any = SimpleNamespace(global_step=0, is_global_zero=True)
    module: Any = SimpleNamespace(model=run.model)
    callback.on_train_start(trainer, module)
    for trainer.global_step in range(1, 5):
        callback.on_train_batch_end(trainer, module)
    return recorder


def test_numbers_are_logged_at_every_pass_and_whole_answers_at_some(run):
    recorder = ask(run, width=Width(name="width"))
    assert {step: row["probe/width/d"] for step, row in recorder.numbers.items()} == {0: 16.0, 2: 16.0, 4: 16.0}
    assert [(step, name, answer.sentence) for step, name, answer in recorder.answers] == [(4, "width", "So wide.")]


def test_a_question_sees_the_live_run_and_keeps_what_it_resolved(run):
    Width.asked.clear()
    ask(run, width=Width(name="width"))
    seen = Width.asked[-1]
    assert (seen.name, seen.step, seen.seed, seen.truth["pairs"]) == ("run", 4, 7, [("a", "b", "c")])
    assert seen.model is run.model
    assert not seen.initial().training  # else dropout would blur it, and draw from training's generator
    assert seen.cache == {"width": 16}
    assert all(one.cache is seen.cache for one in Width.asked)


def test_a_question_that_does_not_fit_is_not_asked(run):
    assert ask(run, never=Never(name="never")).numbers == {}


def test_a_model_in_training_goes_on_in_training_also_after_an_error(run):
    run.model.train()

    def fail() -> None:
        with reading(run.model):
            assert not run.model.training
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert run.model.training
    assert torch.is_grad_enabled()


def test_tables_are_read_when_first_asked_for_and_kept():
    read: list[str] = []

    def reader() -> TokenTable:
        read.append("E")
        return TokenTable(torch.zeros(2, 3).numpy(), ["a", "b"])

    tables = Tables({"E": reader})
    assert (list(tables), len(tables), read) == (["E"], 1, [])
    assert tables["E"] is tables["E"]
    assert read == ["E"]
    with pytest.raises(KeyError):
        tables["U"]
