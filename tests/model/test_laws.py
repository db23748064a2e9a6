"""Laws of look-up, loss and scores: numbers of the chapters, and modules that break them."""

from __future__ import annotations

import pytest
import torch

from rowspace.model.embedding import TokenEmbedding
from rowspace.model.head import Head
from rowspace.model.laws import (
    find_score_gradient,
    measure_chain_error,
    measure_one_hot_error,
    measure_row_scores_error,
    measure_row_spread,
    measure_score_gradient,
    measure_stepwise_error,
)
from tests.parts import ids, model, names, option

U = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def test_the_chapters_gradient_at_its_scores():
    for bias in (False, True):
        head = Head(weight=U.clone(), bias=bias, logit_scale=1.0)
        dz = find_score_gradient(head, torch.tensor([2.0, 1.0]), torch.tensor(2))
        torch.testing.assert_close(dz, torch.tensor([0.244728, 0.0900306, -0.334759]), atol=1e-6, rtol=0)
        assert [p.grad for p in head.parameters()] == [None] * (1 + bias)


def test_only_the_target_is_pushed_up():
    lm = model().double()
    found = measure_score_gradient(lm.head, lm(ids())[0].detach(), ids(seed=2)[0])
    assert found.error < 1e-14
    assert (found.alone, found.n) == (12, 12)
    assert -1 < found.target < -0.9


def test_a_row_is_its_one_hot_product_with_the_scale_in_it():
    embedding = TokenEmbedding(weight=torch.randn(9, 4, generator=torch.Generator().manual_seed(0)), scale=2.0)
    assert measure_one_hot_error(embedding, torch.arange(9)) == 0
    assert measure_row_spread(embedding, torch.tensor([[2, 0, 2], [2, 1, 0]])) == (0.0, 2)
    embedding.register_forward_hook(lambda module, given, rows: rows + torch.arange(rows.shape[-2])[:, None])
    assert measure_row_spread(embedding, torch.tensor([[2, 0, 2]])) == (2.0, 1)


@pytest.mark.parametrize("body", [name for name in names("body") if option("body", name).sees == "past"])
def test_a_body_that_looks_back_is_the_same_at_once_and_step_by_step(body: str):
    lm, text = model(body=body, position="none").double(), ids(B=1)[0]
    assert measure_stepwise_error(lm, text) < 1e-12
    assert max(measure_chain_error(lm, text)) < 1e-12


def test_a_body_that_looks_ahead_is_not():
    lm, text = model(body="encoder").double(), ids(B=1)[0]
    assert measure_stepwise_error(lm, text) > 1e-3


@pytest.mark.parametrize("bias", ["none", "zero"])
def test_tied_scores_are_products_with_rows_and_untied_ones_are_not(bias: str):
    h = torch.randn(5, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    tied = model(head=option("head", "linear", bias=bias, logit_scale=0.25)).double()
    assert measure_row_scores_error(tied, h) < 1e-14
    assert measure_row_scores_error(model(head=option("head", "linear", tie=False)).double(), h) > 0.1
