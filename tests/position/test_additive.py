"""Vectors added to h0: fixed and learned."""

from __future__ import annotations

from types import SimpleNamespace

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
    run = SimpleNamespace(model=shape(n_ctx=64), body=None)
    (problem,) = option("position", "learned", n_max=32).problems(run)
    assert str(problem) == (
        "position.n_max: 32 positions are fewer than model.n_ctx=64; at least 64, or null; "
        "position.beyond=clamp and interpolate do without rows"
    )
    for beyond in ("clamp", "interpolate"):
        assert list(option("position", "learned", n_max=32, beyond=beyond).problems(run)) == []
    assert list(option("position", "learned", n_max=64).problems(run)) == []
    assert list(option("position", "learned", n_max=None).problems(run)) == []


@pytest.mark.parametrize("d", [7, 15])
def test_an_odd_width_ends_with_a_sine_without_a_cosine(d: int):
    rows = option("position", "sinusoidal").rows(20, d)
    assert rows.shape == (20, d)
    np.testing.assert_allclose(rows[:, -1], np.sin(np.arange(20) * 10000.0 ** (-(d - 1) / d)))


def added(scheme, T: int, positions: torch.Tensor | None = None) -> torch.Tensor:
    """What is added to T tokens (T, d)."""
    scheme.reach(T if positions is None else int(positions.max()) + 1)
    return scheme.add(torch.zeros(1, T, 16), positions)[0].detach()


def beyond(kind: str, n_max: int = 5):
    """A learned table of n_max rows, d = 16."""
    chosen = option("position", "learned", n_max=n_max, beyond=kind)
    return chosen.build(d=16, heads=2, n_ctx=12, generator=torch.Generator().manual_seed(0))


def test_clamped_positions_share_the_last_row():
    scheme = beyond("clamp")
    assert torch.equal(added(scheme, 8)[:5], scheme.table.detach())
    assert torch.equal(added(scheme, 8)[5:], scheme.table[4].detach().expand(3, 16))
    assert torch.equal(added(scheme, 2, torch.tensor([[3, 900]])), scheme.table[[3, 4]].detach())


def test_interpolated_positions_spread_the_rows_over_the_window():
    scheme = beyond("interpolate")
    table = scheme.table.detach()
    nine = added(scheme, 9)
    torch.testing.assert_close(nine[0::2], table)
    torch.testing.assert_close(nine[1::2], (table[:-1] + table[1:]) / 2)
    assert torch.equal(added(scheme, 9, torch.arange(9)[None]), nine)


def test_interpolation_changes_nothing_within_the_table_even_after_a_longer_window():
    scheme = beyond("interpolate")
    before = added(scheme, 4)
    added(scheme, 40)
    assert torch.equal(added(scheme, 4), before)
    assert torch.equal(before, scheme.table[:4].detach())


def test_a_table_of_one_row_serves_every_position_where_that_is_asked_for():
    for kind in ("clamp", "interpolate"):
        scheme = beyond(kind, n_max=1)
        assert torch.equal(added(scheme, 4), scheme.table.detach().expand(4, 16))


def test_windows_longer_than_the_table_are_never_served_in_silence():
    run = SimpleNamespace(model=shape(n_ctx=12), body=None)
    said = {kind: list(option("position", "learned", beyond=kind).remarks(run, 9)) for kind in ("clamp", "interpolate")}
    assert said == {
        "clamp": ["position=learned beyond=clamp: all positions from 11 on share one row"],
        "interpolate": ["position=learned beyond=interpolate: windows of more than 12 tokens read between the rows"],
    }
    assert list(option("position", "learned").remarks(run, 9)) == []
    assert option("position", "learned").max_positions(12) == 12
    assert option("position", "learned", beyond="clamp").max_positions(12) is None
