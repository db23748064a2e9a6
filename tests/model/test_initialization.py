"""How weights start, and the first loss that follows."""

from __future__ import annotations

from math import log

import pytest
import torch

from rowspace.model.initialization import first_logit_scale, first_loss, linear, normal
from rowspace.model.loss import token_nats

V = 4096


@pytest.mark.parametrize(("s", "nats"), [(0.0, 8.31777), (0.5, 8.44277), (1.0, 8.81777)])
def test_independent_logits_of_deviation_s_cost_log_v_plus_half_its_square(s: float, nats: float):
    generator = torch.Generator().manual_seed(0)
    # one state a row with a single coordinate 1 picks a column of normal logits
    U, h = normal(V, 64, std=1.0, generator=generator), torch.eye(64) * s
    targets = torch.randint(0, V, (64,), generator=generator)
    assert log(V) + s**2 / 2 == pytest.approx(nats, abs=1e-5)
    assert float(token_nats(h, U, None, targets).mean()) == pytest.approx(nats, abs=4 * s / 8 + 1e-5)


def test_the_predicted_first_loss_of_gpt2s_table_is_that_of_the_course():
    U = normal(V, 768, std=0.02, generator=torch.Generator().manual_seed(0))
    assert first_loss(U, 1.0) - log(V) == pytest.approx(0.1536, abs=0.001)


def test_torchs_default_table_tied_starts_at_41_nats_and_the_automatic_scale_mends_it():
    generator = torch.Generator().manual_seed(0)
    U = normal(V, 128, std=1.0, generator=generator)
    h = torch.nn.functional.layer_norm(torch.randn(2000, 128, generator=generator), (128,))
    targets = torch.randint(0, V, (2000,), generator=generator)
    assert float(token_nats(h, U, None, targets).mean()) == pytest.approx(41.3, abs=1)
    scale = first_logit_scale(U)
    assert float(token_nats(scale * h, U, None, targets).mean()) == pytest.approx(first_loss(U, scale), abs=0.1)
    assert first_loss(U, scale) == pytest.approx(log(V), abs=0.3)


@pytest.mark.parametrize("rows", [100, 1000, 50000])
@pytest.mark.parametrize("std", [0.001, 0.02, 1.0])
def test_under_the_automatic_scale_no_row_that_meets_itself_adds_more_than_a_twentieth(rows: int, std: float):
    U = normal(rows, 32, std=std, generator=torch.Generator().manual_seed(0))
    longest = first_logit_scale(U) * float(U.square().sum(1).mean().sqrt()) * 32**0.5
    assert longest <= max(log(rows / 20), 1) + 1e-5


def test_linear_maps_start_from_the_generator_with_zero_bias_and_leave_the_global_one_alone():
    before = torch.get_rng_state()
    layer = linear(64, 200, bias=True, std=0.1, generator=torch.Generator().manual_seed(0))
    assert torch.equal(before, torch.get_rng_state())
    assert float(layer.weight.detach().std()) == pytest.approx(0.1, rel=0.03)
    assert torch.equal(layer.bias, torch.zeros(200))
    again = linear(64, 200, bias=False, std=0.1, generator=torch.Generator().manual_seed(0))
    assert torch.equal(layer.weight, again.weight)
