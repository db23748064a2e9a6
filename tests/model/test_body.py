"""Bodies: the list of states, what a block does, and which parts read other positions."""

from __future__ import annotations

import pytest
import torch

from rowspace.model.attention import self_mask
from rowspace.model.feedforward import FEEDFORWARDS
from rowspace.registry import options
from tests.parts import ids, model, names, option, shape


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


@pytest.mark.parametrize("position", names("position"))
@pytest.mark.parametrize("tie", [True, False])
def test_every_learned_parameter_gets_a_gradient_in_the_first_batch(position: str, tie: bool):
    lm, tokens = model(position=position, head=option("head", "linear", tie=tie, bias="zero")), ids()
    lm.loss(lm(tokens), tokens.roll(-1, 1))[0].backward()
    assert [name for name, p in lm.named_parameters() if float(p.grad.abs().max()) == 0] == []


def permuted(n: int) -> torch.Tensor:
    return torch.randperm(n, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("layers", [1, 3])
def test_an_encoder_without_positions_permutes_its_states_with_its_tokens(layers: int):
    lm = model(model=shape(layers=layers), body="encoder", position="none").double()
    tokens, order = ids(), permuted(12)
    torch.testing.assert_close(lm(tokens[:, order]), lm(tokens)[:, order], atol=1e-12, rtol=0)


@pytest.mark.parametrize("position", [name for name in names("position") if name != "none"])
def test_an_encoder_with_positions_does_not(position: str):
    lm = lively(position=position, body="encoder")
    tokens, order = ids(), permuted(12)
    assert float((lm(tokens[:, order]) - lm(tokens)[:, order]).detach().abs().max()) > 1e-4


def lively(**choices) -> torch.nn.Module:
    """A model whose attention has weights large enough to matter, and learned tables that are not zero; float64."""
    lm = model(**choices).double()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for block in lm.body.blocks:
            block.attention.qkv.weight.normal_(std=0.5, generator=generator)
            block.attention.out.weight.normal_(std=0.5, generator=generator)
        for table in lm.position.parameters():
            table.normal_(generator=generator)
    return lm


@pytest.mark.parametrize(("layers", "same"), [(1, True), (2, False)])
def test_a_causal_decoder_without_positions_learns_of_order_in_its_second_layer(layers: int, same: bool):
    """One layer sums over a set; in two, a token's own state tells which tokens stood before it."""
    lm = lively(model=shape(layers=layers), position="none")
    tokens = ids(B=1)
    swapped = tokens[:, [0, 1, 3, 2, *range(4, 12)]]
    moved = float((lm(tokens) - lm(swapped))[0, -1].detach().abs().max())
    assert moved < 1e-12 if same else moved > 1e-4


@pytest.mark.parametrize("position", names("position"))
def test_a_row_of_h0_knows_its_own_token_alone_and_the_first_block_changes_that(position: str):
    lm, tokens = lively(position=position, body="encoder"), ids(B=1)
    changed = tokens.clone()
    changed[0, 5] = (changed[0, 5] + 1) % 40
    before, after = lm.states(tokens), lm.states(changed)
    others = [t for t in range(12) if t != 5]
    assert torch.equal(before[0][0, others], after[0][0, others])
    assert not torch.equal(before[0][0, 5], after[0][0, 5])
    assert bool((before[1][0, others] != after[1][0, others]).any(-1).all())


@pytest.mark.parametrize("position", [name for name in names("position") if options("position")[name].inside_attention])
def test_a_scheme_inside_attention_leaves_h0_alone_and_acts_in_every_layer(position: str):
    plain, lm, tokens = lively(position="none"), lively(position=position), ids(B=1)
    assert torch.equal(lm.inputs(tokens), plain.inputs(tokens))
    for layer in range(2):
        h = plain.states(tokens)[layer]
        mask = [self_mask(each.position, h, None, None, causal=True) for each in (plain, lm)]
        moved = [
            block(h, each.position, None, m).detach()
            for block, each, m in zip((plain.body.blocks[layer],) * 2, (plain, lm), mask, strict=True)
        ]
        assert float((moved[0] - moved[1]).abs().max()) > 1e-4


def test_a_block_without_attention_works_on_each_position_alone():
    lm, tokens = lively(body="encoder"), ids(B=1)
    with torch.no_grad():
        for block in lm.body.blocks:
            block.attention.out.weight.zero_()
    changed = tokens.clone()
    changed[0, 5] = (changed[0, 5] + 1) % 40
    same = (lm(tokens) == lm(changed)).all(-1)[0]
    assert same.tolist() == [t != 5 for t in range(12)]
