"""Bodies: the list of states, what a block does, and which parts read other positions."""

from __future__ import annotations

import pytest
import torch

from rowspace.model.feedforward import FEEDFORWARDS
from tests.parts import ids, model, option, shape


def test_states_begin_with_h0_and_end_with_what_the_head_reads():
    lm, tokens = model(), ids()
    states = lm.states(tokens)
    assert len(states) == 3
    assert torch.equal(states[0], lm.inputs(tokens))
    assert torch.equal(states[-1], lm(tokens))
    torch.testing.assert_close(states[-1].square().mean(-1), torch.ones(2, 12), atol=1e-2, rtol=0)


def test_without_a_body_the_final_state_is_the_row_in_direction():
    lm, tokens = model(body="none", position="none"), ids()
    first, last = lm.states(tokens)
    assert torch.equal(first, lm.embedding.weight[tokens])
    cosine = torch.nn.functional.cosine_similarity(last, lm.embedding.weight[tokens], dim=-1)
    torch.testing.assert_close(cosine, torch.ones(2, 12))


def test_blocks_whose_sublayers_write_nothing_are_the_identity():
    lm = model()
    with torch.no_grad():
        for block in lm.body.blocks:
            block.attention.out.weight.zero_()
            block.feedforward.down.weight.zero_()
    first, middle, last = lm.states(ids())
    assert torch.equal(first, middle)
    torch.testing.assert_close(last, lm.body.norm(first))


@pytest.mark.parametrize("name", FEEDFORWARDS)
def test_feed_forward_nets_read_one_position(name: str):
    generator = torch.Generator().manual_seed(0)
    net = FEEDFORWARDS[name](d=8, expansion=4.0, bias=True, std=0.3, out_std=0.3, generator=generator)
    x = torch.randn(1, 5, 8, generator=generator)
    changed = x.clone()
    changed[0, 3] += 1
    same = (net(x) == net(changed)).all(-1)[0]
    assert same.tolist() == [True, True, True, False, True]


def test_swiglu_has_the_parameters_of_gelu_within_rounding():
    counts = [
        sum(p.numel() for p in model(model=shape(d=96), body=option("body", "decoder", feedforward=f)).parameters())
        for f in FEEDFORWARDS
    ]
    assert counts[0] == pytest.approx(counts[1], rel=0.01)


def test_maps_into_the_stream_start_smaller_by_the_square_root_of_twice_the_depth():
    lm = model(model=shape(d=64, layers=8), body=option("body", "decoder", init_std=0.1))
    block = lm.body.blocks[3]
    inner, outer = (float(layer.weight.detach().std()) for layer in (block.attention.qkv, block.attention.out))
    assert inner == pytest.approx(0.1, rel=0.05)
    assert outer == pytest.approx(0.1 / 4, rel=0.05)


@pytest.mark.parametrize("body", ["none", "decoder"])
def test_dropout_acts_while_training_only(body: str):
    lm, tokens = model(model=shape(dropout=0.5), body=body), ids()
    assert not torch.equal(lm(tokens), lm(tokens))
    lm.eval()
    assert torch.equal(lm(tokens), lm(tokens))


@pytest.mark.parametrize("position", ["none", "sinusoidal", "learned", "rope"])
@pytest.mark.parametrize("tie", [True, False])
def test_every_learned_parameter_gets_a_gradient_in_the_first_batch(position: str, tie: bool):
    lm, tokens = model(position=position, head=option("head", "linear", tie=tie, bias=True)), ids()
    lm.loss(lm(tokens), tokens.roll(-1, 1))[0].backward()
    assert [name for name, p in lm.named_parameters() if float(p.grad.abs().max()) == 0] == []
