"""Rotary scalings against transformers' own functions, and against closed forms and worked numbers."""

from __future__ import annotations

import itertools
from math import log, pi
from typing import Any

import numpy as np
import pytest
import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from tests.parts import option

GRID = list(itertools.product([16, 64, 128], [1e4, 5e5], [1.0, 2.0, 8.0], [64, 256, 4096]))


def theirs(kind: str, d_head: int, base: float, factor: float, L: int, **more: Any) -> tuple[np.ndarray, float]:
    """(inverse frequencies, attention factor) of transformers, in its float32; more.seq_len is its window."""
    seq_len = more.pop("seq_len", None)
    values = {"rope_type": kind, "rope_theta": base, "factor": factor, "original_max_position_embeddings": L, **more}
    config = LlamaConfig(
        hidden_size=2 * d_head, num_attention_heads=2, max_position_embeddings=L, rope_parameters=values
    )
    found, attention_factor = ROPE_INIT_FUNCTIONS[kind](config, device="cpu", seq_len=seq_len)
    return found.double().numpy(), attention_factor


@pytest.mark.parametrize(("d_head", "base", "factor", "L"), GRID)
def test_interpolation_is_linear_scaling(d_head: int, base: float, factor: float, L: int):
    chosen = option("position", "rope_pi", base=base, factor=factor)
    expected, attention_factor = theirs("linear", d_head, base, factor, L)
    np.testing.assert_allclose(chosen.frequencies(d_head, L), expected, rtol=1e-6)
    assert chosen.attention_factor() == attention_factor


@pytest.mark.parametrize(("d_head", "base", "factor", "L"), GRID)
@pytest.mark.parametrize("times", [0.5, 1, 1.25, 4])
def test_dynamic_scaling_for_windows_shorter_and_longer(d_head: int, base: float, factor: float, L: int, times: float):
    chosen, n = option("position", "rope_dynamic_ntk", base=base, factor=factor), int(times * L)
    expected, _ = theirs("dynamic", d_head, base, factor, L, seq_len=n)
    np.testing.assert_allclose(chosen.frequencies(d_head, L, n), expected, rtol=1e-6)


@pytest.mark.parametrize(("d_head", "base", "factor", "L"), GRID)
@pytest.mark.parametrize("betas", [(32.0, 1.0), (8.0, 2.0)])
def test_yarn_with_the_index_ramp_is_transformers_with_truncated_bounds(
    d_head: int, base: float, factor: float, L: int, betas: tuple[float, float]
):
    bounds = {"beta_fast": betas[0], "beta_slow": betas[1]}
    chosen = option("position", "rope_yarn", base=base, factor=factor, ramp="index", **bounds)
    expected, attention_factor = theirs("yarn", d_head, base, factor, L, truncate=True, **bounds)
    np.testing.assert_allclose(chosen.frequencies(d_head, L), expected, rtol=1e-6)
    assert chosen.attention_factor() == pytest.approx(attention_factor, abs=1e-12)


def test_yarn_with_the_wavelength_ramp_is_no_setting_of_transformers():
    w = option("position", "rope_yarn", ramp="wavelength").frequencies(16, 2048)
    for truncate in (True, False):
        expected, _ = theirs("yarn", 16, 1e4, 4.0, 2048, truncate=truncate)
        assert np.abs(w / expected - 1).max() > 0.1


@pytest.mark.parametrize(("d_head", "base", "factor", "L"), GRID)
@pytest.mark.parametrize("bounds", [(4.0, 1.0), (32.0, 2.0)])
def test_llama3(d_head: int, base: float, factor: float, L: int, bounds: tuple[float, float]):
    named = {"high_freq_factor": bounds[0], "low_freq_factor": bounds[1]}
    chosen = option("position", "rope_llama3", base=base, factor=factor, **named)
    expected, _ = theirs("llama3", d_head, base, factor, L, **named)
    np.testing.assert_allclose(chosen.frequencies(d_head, L), expected, rtol=1e-6)


def test_the_live_table_turns_by_the_frequencies_of_the_oracle():
    chosen = option("position", "rope_yarn", factor=4.0)
    scheme = chosen.build(d=64, heads=2, n_ctx=256, generator=None).double()
    w, factor = theirs("yarn", 32, 1e4, 4.0, 256)
    x = torch.randn(1, 2, 1, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    turned = scheme.rotate(x, torch.tensor([[200]]))
    for k in range(16):
        c, s = np.cos(200 * w[k]), np.sin(200 * w[k])
        expected = factor * torch.stack(
            (c * x[..., 2 * k] - s * x[..., 2 * k + 1], s * x[..., 2 * k] + c * x[..., 2 * k + 1]), -1
        )
        torch.testing.assert_close(turned[..., 2 * k : 2 * k + 2], expected, atol=1e-4, rtol=0)


def test_position_8_interpolated_by_4_is_position_2():
    scheme = option("position", "rope_pi", factor=4.0).build(d=4, heads=1, n_ctx=16, generator=None).double()
    x = torch.tensor([1.0, 0, 1, 0], dtype=torch.float64)[None, None, None]
    found = scheme.rotate(x, torch.tensor([[8]]))[0, 0, 0].numpy()
    np.testing.assert_allclose(found, [-0.416147, 0.909297, 0.9998, 0.0199987], rtol=1e-5)


@pytest.mark.parametrize(("s", "d", "base"), [(4.0, 128, 40889.942), (8.0, 64, 85550.376), (2.0, 8, 25198.421)])
def test_the_larger_base_of_ntk_aware_scaling(s: float, d: int, base: float):
    w = option("position", "rope_ntk", base=1e4, factor=s).frequencies(d, 64)
    np.testing.assert_allclose(w, [base ** (-2 * k / d) for k in range(d // 2)], rtol=1e-7)
    assert w[0] == 1
    assert w[-1] == pytest.approx(1e4 ** (-(d - 2) / d) / s, rel=1e-14)


def test_the_base_of_dynamic_scaling_at_four_times_the_trained_length():
    chosen = option("position", "rope_dynamic_ntk", base=1e4, factor=2.0)
    w = chosen.frequencies(32, 256, 1024)
    np.testing.assert_allclose(w, [79696.254 ** (-2 * k / 32) for k in range(16)], rtol=1e-7)
    for n in (1, 100, 256):
        np.testing.assert_array_equal(chosen.frequencies(32, 256, n), option("position", "rope").frequencies(32, 256))


@pytest.mark.parametrize(
    ("ramp", "middle"),
    [("index", [0.0256935, 0.00625, 0.0013835]), ("wavelength", [0.0150265, 0.00304665, 0.000792921])],
)
def test_both_ramps_of_yarn_in_numbers(ramp: str, middle: list[float]):
    w = option("position", "rope_yarn", ramp=ramp, factor=4.0).frequencies(16, 2048)
    np.testing.assert_allclose(w, [1, 0.316228, 0.1, *middle, 0.00025, 7.90569e-05], rtol=1e-5)


@pytest.mark.parametrize("d_head", [16, 64])
@pytest.mark.parametrize("L", [64, 300, 8192])
def test_the_wavelength_ramp_follows_the_paper_pair_by_pair(d_head: int, L: int):
    chosen = option("position", "rope_yarn", ramp="wavelength", factor=8.0)
    w = chosen.frequencies(d_head, L)
    for k in range(d_head // 2):
        theta = 10000 ** (-2 * k / d_head)
        r = L / (2 * pi / theta)
        gamma = 0 if r < 1 else 1 if r > 32 else (r - 1) / (32 - 1)
        assert w[k] == pytest.approx((1 - gamma) * theta / 8 + gamma * theta, rel=1e-12)


@pytest.mark.parametrize(("s", "expected"), [(2, 1.06931), (4, 1.13863), (8, 1.20794), (16, 1.27726), (1, 1.0)])
def test_the_factor_that_yarn_puts_on_cos_and_sin(s: float, expected: float):
    chosen = option("position", "rope_yarn", factor=float(s))
    assert chosen.attention_factor() == pytest.approx(expected, abs=5e-6)
    scheme = chosen.build(d=16, heads=1, n_ctx=64, generator=None).double()
    q, k = torch.randn(2, 1, 1, 1, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    at = torch.tensor([[5]])
    grown = (scheme.rotate(q, at) * scheme.rotate(k, at)).sum() / (q * k).sum()
    assert float(grown) == pytest.approx((0.1 * log(s) + 1) ** 2, rel=1e-9)
