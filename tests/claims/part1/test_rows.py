"""What the rows learn: each verdict with a table, a norm or a start that turns it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from rowspace.callbacks.sides import pass_back
from rowspace.claims.part1 import rows
from rowspace.model.language_model import build
from rowspace.probing.base import Tables
from rowspace.training.word_bands import WordBand
from tests.claims.part1.conftest import answered


def test_a_start_that_is_small_is_even_and_a_large_one_is_not(ask):
    assert ask(rows.rows_begin_small_and_random).word == "held"

    def loud(model: Any) -> None:
        model.embedding.weight.data.mul_(400)

    assert ask(rows.rows_begin_small_and_random, start=loud).word == "failed"


def test_training_must_relate_the_rows_more_than_the_start_did(ask, run):
    known = answered("association", "probe/association/spearman", 0.5)
    assert ask(rows.training_relates_the_rows, known=known).word == "held"
    known = answered("association", "probe/association/spearman", 0.0)
    assert ask(rows.training_relates_the_rows, known=known).word == "failed"


def normed(ask: Any, norm: str) -> Any:
    """The run's model with another norm, whose gains and offsets are not those of the start."""
    config = ask.run.config
    body = ask.option("body", norm=norm)
    parts = {key: getattr(config, key) for key in ("model", "embedding", "position", "head")}
    model = build(**parts, body=body, vocab_size=ask.run.model.vocab_size, seed=1).eval()
    generator = torch.Generator().manual_seed(0)
    for name, parameter in model.named_parameters():
        if "norm" in name:
            parameter.data.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return ask(rows.axes_have_no_meaning, model=model, config={"body": body})


def test_a_rotation_leaves_the_function_the_same_but_for_layernorm(ask):
    assert ask(rows.axes_have_no_meaning).word == "held"
    assert normed(ask, "rmsnorm").word == "held"
    found = normed(ask, "layernorm")
    assert found.word == "failed"
    assert found.number > 0.01


def test_common_rows_are_updated_often_and_a_gradient_of_all_rows_is_found(ask):
    assert ask(rows.common_rows_are_updated_often).word == "held"
    run = ask.run
    batch = SimpleNamespace(ids=torch.arange(9)[None], targets=torch.arange(9)[None])
    batch.positions = batch.segments = batch.source = None
    passed = pass_back(run.model, batch)
    parts = {**passed.parts, ("E", "input"): torch.ones_like(passed.parts["E", "input"])}
    assert ask(rows.common_rows_are_updated_often, known={"gradients": replace(passed, parts=parts)}).word == "failed"


@pytest.mark.parametrize(("sign", "word"), [(1, "held"), (-1, "failed")])
def test_rows_that_are_seen_often_must_have_moved_farther(ask, sign: int, word: str):
    run, start = ask.run, ask.run.initial().embedding.weight.detach().numpy()
    ranks = run.counts.argsort().argsort().astype(np.float32)
    step = (ranks if sign > 0 else len(ranks) - ranks)[:, None] / len(ranks)
    table = replace(run.tables["E"], vectors=start + step)
    found = ask(rows.common_rows_move_farther, tables=Tables({"E": lambda: table}))
    assert found.word == word
    assert found.by_design  # the run is tied


@pytest.mark.parametrize(("nats", "word"), [(50.0, "held"), (150.0, "failed")])
def test_words_that_were_never_seen_must_cost_less_than_their_pieces_alone(ask, nats: float, word: str):
    bands = tuple(WordBand(floor, 5, 40, nats, 100.0) for floor in (0, 1, 10, 100, 1000))
    assert ask(rows.subwords_help_rare_words, known={"test": SimpleNamespace(words=bands)}).word == word


def test_a_run_that_counted_nothing_is_not_asked(ask):
    assert ask(rows.common_rows_move_farther, counts=None).word == "not asked"
