"""How the loss trains the table: each law with a loss, a table or a part that breaks it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from rowspace.callbacks.sides import pass_back
from rowspace.claims.base import Asked
from rowspace.claims.part1 import learning
from rowspace.model.head import Head
from tests.claims.lesson2.conftest import hooked, untie
from tests.parts import option
from tests.probing.subjects import ignore


@pytest.mark.parametrize("claimed", [learning.gradient_is_p_minus_one_hot, learning.only_the_target_is_pushed_up])
def test_the_gradient_at_the_scores_is_that_of_cross_entropy_and_of_no_other_loss(ask, claimed, monkeypatch):
    assert ask(claimed).word == "held"

    def smoothed(self, h, targets):
        return nn.functional.cross_entropy(self(h), targets, reduction="sum", label_smoothing=0.9)

    monkeypatch.setattr(Head, "sum_nats", smoothed)
    assert ask(claimed).word == "failed"


@pytest.fixture
def passed(run, questions) -> Any:
    """Gradients of the run's first windows."""
    asked = Asked(replace(run, cache={}), questions, ignore)
    return pass_back(asked.wide, asked.batch)


def test_occurrences_add_up_and_one_that_is_lost_is_found(ask, passed):
    assert ask(learning.occurrences_add_up).word == "held"
    lost = replace(passed, looked_up=passed.looked_up * (torch.arange(len(passed.ids)) != 5)[:, None])
    assert ask(learning.occurrences_add_up, known={"gradients": lost}).word == "failed"


def test_absent_rows_get_none_and_a_look_up_that_leaks_is_found(ask):
    assert ask(learning.absent_rows_get_none_from_the_input).word == "held"
    leaks = hooked(lambda weight, ids, rows: rows + 1e-3 * weight.mean(0))
    assert ask(learning.absent_rows_get_none_from_the_input, leaks).word == "failed"


def test_a_tied_gradient_reaches_every_row_and_a_broken_tie_is_found(ask):
    assert ask(learning.tied_gradient_reaches_every_row).word == "held"
    assert ask(learning.tied_gradient_reaches_every_row, untie).word == "failed"
    untied = {"head": ask.option("head", tie=False)}
    assert ask(learning.tied_gradient_reaches_every_row, untie, config=untied).word == "held"
    assert ask(learning.tied_gradient_reaches_every_row, config=untied).word == "failed"


def test_every_part_gets_a_gradient_and_one_that_is_cut_off_is_found(ask):
    assert ask(learning.every_learned_part_gets_a_gradient).word == "held"

    def cut(model: Any) -> None:
        attention = model.body.blocks[1].attention
        attention.register_forward_hook(lambda module, given, found: found.detach())

    found = ask(learning.every_learned_part_gets_a_gradient, cut)
    assert found.word == "failed"
    assert "body.blocks.1.attention" in found.why


def test_fixed_positions_have_nothing_to_train_and_learned_ones_have(ask):
    assert ask(learning.fixed_positions_have_nothing_to_update).word == "held"

    def trained(model: Any) -> None:
        model.position.gain = nn.Parameter(torch.ones(3))

    assert ask(learning.fixed_positions_have_nothing_to_update, trained).word == "failed"


@pytest.mark.parametrize(("cut", "word"), [(False, "held"), (True, "failed")])
def test_a_learned_table_gets_a_gradient_unless_it_is_cut_off(ask, cut: bool, word: str):
    chosen = option("position", "learned")

    def learned(model: Any) -> None:
        model.position = chosen.build(d=16, heads=2, n_ctx=16, generator=torch.Generator().manual_seed(0))
        if cut:
            add = type(model.position).add
            model.position.add = lambda h, positions: h + (add(model.position, h, positions) - h).detach()

    found = ask(learning.fixed_positions_have_nothing_to_update, learned, config={"position": chosen})
    assert found.word == word
