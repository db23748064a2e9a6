"""Gradient norms by distance: closed forms of linear maps, and the bound of a matrix power."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rowspace.probes.distance import measure_gradient_norms

X = torch.randn(3, 6, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)

MANY = X[:1].expand(6000, -1, -1)
"""One text as often as directions are to be drawn."""


def decaying(x: torch.Tensor) -> torch.Tensor:
    """h_t = sum over k of 2^-k x_{t-k}."""
    states = []
    h = torch.zeros_like(x[:, 0])
    for t in range(x.shape[1]):
        h = h / 2 + x[:, t]
        states.append(h)
    return torch.stack(states, dim=1)


def test_each_step_back_of_a_halving_memory_halves_the_gradient():
    norms = measure_gradient_norms(decaying, X, draws=5, seed=0)
    assert norms.shape == (15, 6)
    torch.testing.assert_close(norms / norms[:, :1], 0.5 ** torch.arange(6).double().expand(15, 6))


def test_the_mean_square_over_directions_is_the_squared_frobenius_norm_of_the_jacobian():
    generator = torch.Generator().manual_seed(1)
    maps = torch.randn(6, 4, 4, generator=generator, dtype=torch.float64)

    def states(x: torch.Tensor) -> torch.Tensor:
        """Only the last state: sum over positions of maps[t] x_t."""
        last = torch.einsum("tij,btj->bi", maps, x)
        return torch.cat([torch.zeros_like(x[:, :-1]), last[:, None]], dim=1)

    norms = measure_gradient_norms(states, MANY, draws=1, seed=0)
    expected = [(np.linalg.norm(maps[5 - k].numpy()) ** 2) for k in range(6)]
    np.testing.assert_allclose((norms**2).mean(0).numpy(), expected, rtol=0.1)


def test_what_is_never_read_has_no_gradient_and_a_seed_repeats():
    def newest(x: torch.Tensor) -> torch.Tensor:
        return x * 3 + 0 * x.cumsum(1)

    norms = measure_gradient_norms(newest, X, draws=2, seed=7)
    assert norms[:, 0].min() > 0
    assert norms[:, 1:].abs().max() == 0
    assert torch.equal(norms, measure_gradient_norms(newest, X, draws=2, seed=7))
    assert not torch.equal(norms, measure_gradient_norms(newest, X, draws=2, seed=8))


def test_gradients_of_parameters_are_left_alone_and_progress_counts_the_draws():
    linear, told = torch.nn.Linear(4, 4, dtype=torch.float64), []
    before = torch.get_rng_state()
    measure_gradient_norms(linear, X, draws=3, seed=0, progress=lambda done, total: told.append((done, total)))
    assert linear.weight.grad is None
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("k", [1, 3, 5])
def test_a_recurrence_passes_the_gradient_through_powers_of_its_matrix(k: int):
    W = torch.randn(4, 4, generator=torch.Generator().manual_seed(2), dtype=torch.float64) / 3

    def states(x: torch.Tensor) -> torch.Tensor:
        h, found = torch.zeros_like(x[:, 0]), []
        for t in range(x.shape[1]):
            h = h @ W.T + x[:, t]
            found.append(h)
        return torch.stack(found, dim=1)

    norms = measure_gradient_norms(states, MANY, draws=1, seed=0)
    power = np.linalg.matrix_power(W.numpy(), k)
    assert float((norms[:, k] ** 2).mean()) == pytest.approx(np.linalg.norm(power) ** 2, rel=0.1)


def test_gradients_are_followed_where_the_caller_switched_them_off_as_a_watcher_does():
    with torch.no_grad():
        norms = measure_gradient_norms(decaying, X, draws=2, seed=0)
        assert not torch.is_grad_enabled()
    torch.testing.assert_close(norms, measure_gradient_norms(decaying, X, draws=2, seed=0))
