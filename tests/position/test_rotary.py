"""Rotation of queries and keys: laws, layout, precision at long positions, and what is refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tests.parts import ids, model, option, shape


def rope(d_head: int, n: int = 16, base: float = 10000.0, dtype: torch.dtype = torch.float64):
    """One head."""
    return option("position", "rope", base=base).build(d=d_head, heads=1, n_ctx=n, generator=None).to(dtype)


def turned(x: torch.Tensor, position: int, scheme) -> torch.Tensor:
    """x (d_head,) as a query at `position`."""
    scheme.reach(position + 1)
    return scheme.rotate(x[None, None, None], torch.tensor([[position]]))[0, 0, 0]


def test_position_0_is_the_identity_and_norms_stay():
    x = torch.randn(8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    scheme = rope(8)
    assert torch.equal(turned(x, 0, scheme), x)
    for p in (1, 15, 4095):
        assert float(turned(x, p, scheme).norm()) == pytest.approx(float(x.norm()), abs=1e-12)
        assert not torch.allclose(turned(x, p, scheme), x)


def test_queries_and_keys_are_turned_alike_and_each_batch_by_its_own_positions():
    generator = torch.Generator().manual_seed(0)
    q, k = (torch.randn(2, 3, 5, 8, dtype=torch.float64, generator=generator) for _ in range(2))
    positions = torch.tensor([[0, 1, 2, 0, 1], [4, 3, 2, 1, 0]])
    scheme = option("position", "rope").build(d=24, heads=3, n_ctx=5, generator=None).double()
    both = scheme.rotate(q, positions), scheme.rotate(k, positions)
    for x, y in zip((q, k), both, strict=True):
        for b in range(2):
            for t in range(5):
                for head in range(3):
                    expected = turned(x[b, head, t], int(positions[b, t]), rope(8))
                    torch.testing.assert_close(y[b, head, t], expected)


def test_positions_left_out_are_counted_from_0():
    q = torch.randn(1, 2, 6, 8, generator=torch.Generator().manual_seed(0))
    scheme = option("position", "rope").build(d=16, heads=2, n_ctx=6, generator=None)
    implied, given = (scheme.rotate(q, positions) for positions in (None, torch.arange(6)[None]))
    assert torch.equal(implied, given)


@pytest.mark.parametrize("position", [4095, 100_000])
def test_at_long_positions_a_model_in_bf16_still_turns_by_float32_angles(position: int):
    x = torch.tensor([1.0, 0.0] * 16)
    scheme = rope(32, dtype=torch.bfloat16)
    found = turned(x, position, scheme)
    angles = position * 10000.0 ** (-np.arange(0, 32, 2) / 32)
    expected = np.stack((np.cos(angles), np.sin(angles)), -1).reshape(-1)
    assert np.abs(found.numpy() - expected).max() < 1e-6
    rounded = torch.from_numpy(np.cos(angles)).bfloat16().double().numpy()
    assert np.abs(rounded - np.cos(angles)).max() > 1e-3


def test_frequencies_fall_from_one_by_equal_factors():
    w = option("position", "rope", base=500.0).frequencies(8, 12)
    assert w[0] == 1.0
    np.testing.assert_allclose(w[1:] / w[:-1], 500.0 ** (-2 / 8))


def test_a_width_that_heads_do_not_divide_is_refused_by_the_decoder():
    (problem,) = option("body", "decoder").problems(SimpleNamespace(model=shape(d=66, heads=4)))
    assert str(problem) == (
        "model.d: 66 is not divisible by model.heads=4; a multiple of it (64 or 68), or model.heads that divides 66"
    )
    assert list(option("body", "none").problems(SimpleNamespace(model=shape(d=66, heads=4)))) == []


def stretching(n_ctx: int = 8, **changes):
    """One head of 8."""
    return option("position", "rope_dynamic_ntk", **changes).build(d=8, heads=1, n_ctx=n_ctx, generator=None)


def test_a_stretching_table_has_the_angles_of_the_window_that_is_read_and_of_no_other():
    option_, scheme = option("position", "rope_dynamic_ntk"), stretching()
    for n in (3, 8, 9, 40, 9, 8, 20, 2):
        scheme.reach(n)
        w = option_.frequencies(8, 8, n)
        expected = np.stack((np.cos(5 * w), np.sin(5 * w)), -1).reshape(-1)
        np.testing.assert_allclose(scheme.table[5], expected, atol=1e-7)
        assert len(scheme.table) == max(n, 8)


def test_a_stretching_table_is_computed_anew_in_float64_for_the_window_of_the_moment():
    scheme = stretching()
    scheme.reach(30)
    fresh = stretching().double()
    fresh.reach(30)
    assert torch.equal(scheme.double().table, fresh.table)


def test_a_window_longer_than_the_trained_length_starts_stretched():
    scheme = stretching(n_ctx=32, trained_n_ctx=8)
    before = scheme.table.clone()
    scheme.reach(32)
    assert torch.equal(scheme.table, before)
    assert not torch.equal(before[:8], stretching().table)


def test_the_longer_of_source_and_target_sets_the_angles_for_both():
    lm = model(position="rope_dynamic_ntk", body="encoder_decoder")
    for T, S in ((3, 30), (30, 3)):
        lm(ids(T=T), source=ids(T=S))
        assert len(lm.position.table) == 30
