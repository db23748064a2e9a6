"""Recurrent bodies: their steps by hand, segments, what they keep, and how the past fades."""

from __future__ import annotations

import pytest
import torch

from rowspace.model.recurrence import Recurrent
from tests.parts import ids, model, option, shape

BODIES = ["rnn", "lstm"]


def body(name: str, *, layers: int = 1, d: int = 4, **changes: float) -> Recurrent:
    """A body alone, in float64."""
    sizes = shape(d=d, layers=layers, heads=1)
    return option("body", name, **changes).build(model=sizes, generator=torch.Generator().manual_seed(0)).double()


def stepped(cell: torch.nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    """States after each token by the formulas, each gate a product of its own."""
    W, U = cell.weight_ih_l0.detach(), cell.weight_hh_l0.detach()
    b = (cell.bias_ih_l0 + cell.bias_hh_l0).detach()
    d = U.shape[1]
    h, c, states = torch.zeros(d, dtype=x.dtype), torch.zeros(d, dtype=x.dtype), []
    for token in x:
        parts = [W[r] @ token + U[r] @ h + b[r] for r in torch.arange(len(W)).split(d)]
        if len(parts) == 1:
            h = torch.tanh(parts[0])
        else:
            i, f, g, o = (torch.tanh(p) if n == 2 else 1 / (1 + torch.exp(-p)) for n, p in enumerate(parts))
            c = f * c + i * g
            h = o * torch.tanh(c)
        states.append(h)
    return states


@pytest.mark.parametrize("name", BODIES)
def test_two_steps_by_hand_are_the_cells(name: str):
    made, x = body(name), torch.randn(1, 2, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    h0, last = made(x, None)
    assert torch.equal(h0, x)
    expected = torch.stack(stepped(made.cells[0], made.norms[0](x)[0].detach()))
    torch.testing.assert_close(last[0].detach(), made.norm(expected).detach(), atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", BODIES)
def test_a_layer_reads_the_normalized_states_of_the_one_below(name: str):
    made, x = body(name, layers=3), torch.randn(1, 5, 4, dtype=torch.float64)
    states = made(x, None)
    assert len(states) == 4
    for layer in (0, 1):
        expected = torch.stack(stepped(made.cells[layer], made.norms[layer](states[layer])[0].detach()))
        torch.testing.assert_close(states[layer + 1][0].detach(), expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", BODIES)
def test_a_segment_begins_with_nothing_remembered_also_where_rows_meet(name: str):
    lm, tokens = model(body=name, position="none").double(), ids(B=2)
    segments = torch.tensor([[0, 0, 0, 1, 1, 1, 1, 2, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4]])
    found = lm(tokens, None, segments)
    first = torch.cat([lm(part) for part in tokens[:1].split([3, 4, 1, 4], dim=1)], dim=1)
    second = torch.cat([lm(part) for part in tokens[1:].split([11, 1], dim=1)], dim=1)
    torch.testing.assert_close(found, torch.cat([first, second]), atol=1e-12, rtol=0)


def test_weights_start_as_torchs_do_and_the_forget_gate_as_the_option_says():
    made = body("lstm", d=64, forget_bias=2.5)
    (cell,) = made.cells
    for weight in (cell.weight_ih_l0, cell.weight_hh_l0):
        assert float(weight.detach().abs().max()) <= 1 / 8
        assert float(weight.detach().std()) == pytest.approx(1 / 8 / 3**0.5, rel=0.05)
    assert not bool(cell.bias_ih_l0.any())
    assert cell.bias_hh_l0.detach().view(4, 64)[:, 0].tolist() == [0, 2.5, 0, 0]
    (plain,) = body("rnn", d=64).cells
    assert not bool(plain.bias_hh_l0.any())


@pytest.mark.parametrize("name", BODIES)
def test_a_recurrent_body_knows_order_without_a_position_scheme(name: str):
    lm, tokens = model(body=name, position="none"), ids(B=1)
    swapped = tokens[:, [1, 0, *range(2, 12)]]
    assert float((lm(tokens) - lm(swapped))[0, -1].detach().abs().max()) > 1e-4


@pytest.mark.parametrize("name", BODIES)
def test_dropout_acts_while_training_only(name: str):
    lm, tokens = model(model=shape(dropout=0.5), body=name, position="none"), ids()
    assert not torch.equal(lm(tokens), lm(tokens))
    lm.eval()
    assert torch.equal(lm(tokens), lm(tokens))


@pytest.mark.parametrize("name", BODIES)
def test_every_parameter_gets_a_gradient(name: str):
    lm, tokens = model(body=name, position="none"), ids()
    lm.loss(lm(tokens), tokens.roll(-1, 1))[0].backward()
    assert [key for key, p in lm.named_parameters() if p.grad is None or not bool(p.grad.any())] == []


def test_a_recurrent_body_can_be_built_without_memory():
    with torch.device("meta"):
        lm = model(200_000, model=shape(d=8192), body="lstm", position="none")
    assert {p.device.type for p in lm.parameters()} == {"meta"}
    assert sum(p.numel() for p in lm.body.cells[0].parameters()) == 8 * 8192**2 + 8 * 8192
