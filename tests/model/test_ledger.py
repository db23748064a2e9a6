"""Counts of parameters and operations, against closed forms and torch's own counter."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from rowspace.model.ledger import flops_per_token, parameter_split, quantities
from tests.parts import ids, model, option, shape


@pytest.mark.parametrize(("tie", "count"), [(False, 32768000), (True, 16384000)])
def test_table_and_head_at_32000_by_512(tie: bool, count: int):
    lm = model(32000, model=shape(d=512), body="none", position="none", head=option("head", "linear", tie=tie))
    split = parameter_split(lm)
    assert split["E"] + split["U"] == count
    assert split["total"] == sum(p.numel() for p in lm.parameters())


@pytest.mark.parametrize(("name", "count"), [("learned", 524288), ("none", 0), ("sinusoidal", 0), ("rope", 0)])
def test_only_learned_positions_have_parameters(name: str, count: int):
    position = option("position", name, **({"n_max": 1024} if name == "learned" else {}))
    assert parameter_split(model(model=shape(d=512), position=position))["position"] == count


@pytest.mark.parametrize("feedforward", ["gelu", "swiglu"])
@pytest.mark.parametrize("tie", [True, False])
def test_operations_a_token_are_those_that_torch_counts(tie: bool, feedforward: str):
    body = option("body", "decoder", feedforward=feedforward)
    lm, tokens = model(300, body=body, head=option("head", "linear", tie=tie)), ids(300)
    ledger = flops_per_token(lm)
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        functional.cross_entropy(lm.logits(lm(tokens)).flatten(0, 1), tokens.flatten()).backward()
    # torch counts scores of hidden positions too: T of them instead of (T + 1) / 2
    hidden = 3 * ledger["attention"] * (12 / 6.5 - 1)
    assert counter.get_total_flops() / tokens.numel() == pytest.approx(ledger["train"] + hidden, rel=1e-6)
    assert ledger["embedding"] == 0


def test_quantities_name_every_parameter_once_and_a_tied_head_with_none():
    for tie in (True, False):
        lm = model(position="learned", head=option("head", "linear", tie=tie, bias=True))
        rows = quantities(lm)
        learned = sum(row["count"] for row in rows if row["category"] == "LEARNED")
        assert learned == sum(p.numel() for p in lm.parameters())
        assert {row["category"] for row in rows} == {"LEARNED", "CONFIG", "STATE"}


@pytest.mark.parametrize("name", ["sinusoidal", "rope"])
def test_fixed_position_tables_are_configuration(name: str):
    rows = {row["quantity"]: row for row in quantities(model(position=name))}
    assert rows["position table"]["category"] == "CONFIG"
    assert rows["E"]["category"] == "LEARNED"
    assert rows["h0"]["category"] == "STATE"
    assert rows["E"]["bytes"] == torch.empty(40, 16).nbytes
