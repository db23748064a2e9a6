"""A run of a few sentences that was never trained: what claims are asked of, and what faults are planted in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import nn

from rowspace.claims.base import Asked, Claim, Verdict, judge
from rowspace.probing.base import RunSubject
from rowspace.registry import options
from tests.parts import values_of
from tests.probing.subjects import ignore, subject
from tests.tokenization import corpora

TEXTS = corpora.sentences(200)


@pytest.fixture(scope="session")
def questions() -> dict[str, Any]:
    """The probes that claims ask, at their values in conf/."""
    kinds: dict[str, Any] = options("probe")
    asked = values_of("probe", "claims")["asked"]
    return {name: kinds[values["name"]].model_validate(values) for name, values in asked.items()}


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunSubject:
    """A tied decoder with rope, over bpe of V = 330."""
    tokenizer = corpora.option("bpe").fit(TEXTS)
    words = ("model.n_ctx=16", "tokenizer=bpe", "tokenizer.vocab_size=330")
    return subject(
        tmp_path_factory.mktemp("cache"), *words, lines=[text.encode() for text in TEXTS], tokenizer=tokenizer
    )


class Planting:
    """Asks one claim of the run, as it is or with something planted in a copy of it."""

    def __init__(self, run: RunSubject, questions: dict[str, Any]) -> None:
        self.run, self.questions = run, questions

    def __call__(
        self,
        claimed: Claim,
        plant: Callable[[Any], Any] | None = None,
        *,
        start: Callable[[Any], Any] | None = None,
        config: dict[str, Any] | None = None,
        known: dict[Any, Any] | None = None,
        **changes: Any,
    ) -> Verdict:
        """`plant` and `start` change a copy of the model and of the one before training; `config` options of the run;
        `known` what is kept of earlier claims; `changes` parts of the subject."""
        if plant is not None:
            changes["model"] = deepcopy(changes.get("model", self.run.model))
            plant(changes["model"])
        if start is not None:
            first = self.run.initial()
            start(first)
            changes["initial"] = lambda: first
        if config is not None:
            changes["config"] = self.run.config.model_copy(update=config)
        cache = {("claims", key): value for key, value in (known or {}).items()}
        planted = dataclasses.replace(self.run, cache=cache, **changes)
        return judge(claimed, Asked(planted, self.questions, ignore))

    def option(self, group: str, **changes: Any) -> Any:
        """The run's own option of a group, changed."""
        return getattr(self.run.config, group).model_copy(update=changes)


@pytest.fixture(scope="session")
def ask(run: RunSubject, questions: dict[str, Any]) -> Planting:
    """See `Planting`."""
    return Planting(run, questions)


def hooked(change: Callable[..., torch.Tensor]) -> Callable[[Any], None]:
    """Plants a change of the rows as they are looked up: change(weight, ids, rows)."""

    def plant(model: Any) -> None:
        model.embedding.register_forward_hook(lambda module, given, rows: change(module.weight, given[0], rows))

    return plant


def untie(model: Any) -> None:
    """U becomes a tensor of its own."""
    model.head.weight = nn.Parameter(model.head.weight.detach().clone())


def words_of(verdicts: Sequence[Verdict]) -> list[str]:
    """Their words."""
    return [verdict.word for verdict in verdicts]
