"""Vectors added to h0: fixed and learned."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rowspace.errors import ConfigError
from tests.parts import ids, model, option, shape


def test_h0_of_three_tokens_is_their_scaled_rows_plus_the_first_three_positions():
    lm = model(embedding=option("embedding", "normal", scale="sqrt_d"), position="sinusoidal")
    tokens = torch.tensor([[7, 3, 5]])
    expected = 4 * lm.embedding.weight[tokens] + lm.position.table[:3]
    assert lm.inputs(tokens).shape == (1, 3, 16)
    torch.testing.assert_close(lm.inputs(tokens), expected)


@pytest.mark.parametrize("name", ["sinusoidal", "learned"])
def test_given_positions_pick_their_rows(name: str):
    lm, tokens = model(position=name), ids(T=4)
    positions = torch.tensor([[0, 1, 0, 1], [5, 2, 2, 0]])
    expected = lm.embedding.weight[tokens] + lm.position.table[positions]
    torch.testing.assert_close(lm.inputs(tokens, positions), expected)


def test_a_learned_table_has_n_max_rows_or_those_of_a_window():
    assert model(position="learned").position.table.shape == (12, 16)
    assert model(position=option("position", "learned", n_max=30)).position.table.shape == (30, 16)


def test_positions_without_a_row_are_refused_with_both_numbers():
    lm = model(position="learned")
    with pytest.raises(ConfigError, match=r"has 12 rows and no row for position 12; .* at most 12 tokens"):
        lm(ids(T=13))
    with pytest.raises(ConfigError, match="no row for position 99"):
        lm(ids(T=2), torch.tensor([[0, 1], [98, 99]]))


def test_only_positions_that_occur_get_a_gradient():
    lm, tokens = model(position=option("position", "learned", n_max=30)), ids(T=5)
    lm.loss(lm(tokens), tokens)[0].backward()
    moved = lm.position.table.grad.abs().sum(1) > 0
    assert moved.tolist() == [True] * 5 + [False] * 25


def test_a_window_longer_than_the_table_is_refused_before_anything_is_built():
    run = type("Run", (), {"model": shape(n_ctx=64)})
    (problem,) = option("position", "learned", n_max=32).problems(run)
    assert str(problem) == "position.n_max: 32 positions are fewer than model.n_ctx=64; at least 64, or null"
    assert list(option("position", "learned", n_max=64).problems(run)) == []
    assert list(option("position", "learned", n_max=None).problems(run)) == []


@pytest.mark.parametrize("d", [7, 15])
def test_an_odd_width_ends_with_a_sine_without_a_cosine(d: int):
    rows = option("position", "sinusoidal").rows(20, d)
    assert rows.shape == (20, d)
    np.testing.assert_allclose(rows[:, -1], np.sin(np.arange(20) * 10000.0 ** (-(d - 1) / d)))
