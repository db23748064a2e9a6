"""Scores by the rows themselves, and a head that answers or inverts."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from rowspace.claims.part1 import projection
from tests.claims.part1.conftest import answered


def test_tied_scores_are_products_with_rows_and_another_table_is_found(ask):
    assert ask(projection.tied_scores_are_products_with_rows).word == "held"

    def other(model):
        generator = torch.Generator().manual_seed(0)
        model.head.weight = nn.Parameter(torch.randn(model.head.weight.shape, generator=generator))

    assert ask(projection.tied_scores_are_products_with_rows, other).word == "failed"
    untied = {"head": ask.option("head", tie=False)}
    assert ask(projection.tied_scores_are_products_with_rows, config=untied).word == "not asked"


@pytest.mark.parametrize(("rate", "word"), [(0.1, "held"), (1.0, "failed")])
def test_a_head_that_undoes_the_look_up_turns_the_verdict(ask, rate: float, word: str):
    known = answered("head", "probe/head/inverse", rate)
    assert ask(projection.projection_is_no_inverse, known=known).word == word
