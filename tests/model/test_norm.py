"""Norms against their formulas, and what a rotation of the space does to them."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from rowspace.model.norm import EPS, NORMS, RMSNorm, layer_norm


def test_rmsnorm_and_its_gradients_equal_torchs():
    x = torch.randn(5, 3, 24, generator=torch.Generator().manual_seed(0)).requires_grad_()
    g = torch.randn(5, 3, 24, generator=torch.Generator().manual_seed(1))
    norm = RMSNorm(24)
    with torch.no_grad():
        norm.weight.copy_(torch.linspace(0.5, 2, 24))
    twin, weight = x.detach().clone().requires_grad_(), norm.weight.detach().clone().requires_grad_()
    expected = functional.rms_norm(twin, (24,), weight, EPS)
    found = norm(x)
    found.backward(g)
    expected.backward(g)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(x.grad, twin.grad)
    torch.testing.assert_close(norm.weight.grad, weight.grad)


def test_rmsnorm_gradients_hold_under_finite_differences():
    norm = RMSNorm(4).double()
    x = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    assert torch.autograd.gradcheck(
        lambda y, w: torch.func.functional_call(norm, {"weight": w}, (y,)), (x, norm.weight)
    )


def test_rmsnorm_of_smaller_types_gives_the_same_within_their_rounding():
    x = torch.randn(6, 16, generator=torch.Generator().manual_seed(0))
    rough = RMSNorm(16)(x.bfloat16())
    assert rough.dtype == torch.bfloat16
    torch.testing.assert_close(rough.float(), RMSNorm(16)(x), atol=0.03, rtol=0.02)


@pytest.mark.parametrize("std", [0.004, 0.02, 1.0, 50.0])
@pytest.mark.parametrize("name", NORMS)
def test_states_come_out_with_root_mean_square_one_however_small_rows_start(name: str, std: float):
    x = std * torch.randn(50, 64, generator=torch.Generator().manual_seed(0))
    rms = NORMS[name](64)(x).square().mean(-1).sqrt()
    torch.testing.assert_close(rms, torch.ones(50), atol=0.06, rtol=0)


def test_a_rotation_of_the_space_passes_through_rmsnorm_and_not_through_layernorm():
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(10, 16, dtype=torch.float64, generator=generator) + 1
    Q = torch.linalg.qr(torch.randn(16, 16, dtype=torch.float64, generator=generator)).Q
    rms, ln = (norm.double().requires_grad_(False) for norm in (RMSNorm(16), layer_norm(16)))
    torch.testing.assert_close(rms(x @ Q), rms(x) @ Q, atol=1e-12, rtol=0)
    assert float((ln(x @ Q) - ln(x) @ Q).abs().max()) > 0.1
