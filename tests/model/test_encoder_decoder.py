"""Encoder-decoder: what each side reads, and a decoder that is the plain one where the source says nothing."""

from __future__ import annotations

import pytest
import torch

from tests.parts import ids, model, shape


def lively(**choices):
    """Cross-attention with weights large enough to matter, float64."""
    lm = model(body="encoder_decoder", **choices).double()
    with torch.no_grad():
        for block in lm.body.blocks:
            block.cross.out.weight.mul_(20)
    return lm


def test_the_source_is_read_from_both_sides_and_the_target_from_the_left():
    lm, source = lively(), ids(T=9, seed=5)
    read = lm.body.read(lm.inputs(source), lm.position)
    changed = source.clone()
    changed[:, -1] = (changed[:, -1] + 1) % 40
    other = lm.body.read(lm.inputs(changed), lm.position)
    assert bool((read != other).any(-1).all())
    torch.testing.assert_close(read.square().mean(-1), torch.ones(2, 9).double(), atol=0.01, rtol=0)


def test_the_order_of_the_source_reaches_the_target_through_the_encoder_alone():
    """Cross-attention knows no positions: without a scheme in the encoder a shuffled source is the same source."""
    source = ids(T=9, seed=5)
    shuffled = source[:, torch.randperm(9, generator=torch.Generator().manual_seed(0))]
    blind, rotating = lively(position="none"), lively(position="rope")
    torch.testing.assert_close(blind(ids(), source=source), blind(ids(), source=shuffled), atol=1e-10, rtol=0)
    moved = (rotating(ids(), source=source) - rotating(ids(), source=shuffled)).detach().abs().max()
    assert float(moved) > 1e-4


def test_without_cross_attention_it_is_a_decoder():
    lm, tokens = model(body="encoder_decoder").double(), ids()
    plain = model(body="decoder").double()
    with torch.no_grad():
        for block, theirs in zip(lm.body.blocks, plain.body.blocks, strict=True):
            block.cross.out.weight.zero_()
            theirs.load_state_dict({k: v for k, v in block.state_dict().items() if not k.startswith("cross")})
    plain.embedding.load_state_dict(lm.embedding.state_dict())
    torch.testing.assert_close(lm(tokens, source=ids(T=9)), plain(tokens), atol=1e-10, rtol=0)


def test_states_are_the_targets_and_layers_stand_on_both_sides():
    lm = model(body="encoder_decoder", model=shape(layers=3))
    assert [state.shape[1] for state in lm.states(ids(T=5), source=ids(T=9))] == [5] * 4
    assert len(lm.body.encoder.blocks) == len(lm.body.blocks) == 3


def test_a_missing_source_is_said_in_words():
    with pytest.raises(TypeError, match="reads a source beside its target"):
        model(body="encoder_decoder")(ids())


def test_every_parameter_gets_a_gradient():
    lm, tokens = model(body="encoder_decoder"), ids()
    lm.loss(lm(tokens, source=ids(T=9)), tokens.roll(-1, 1))[0].backward()
    assert [key for key, p in lm.named_parameters() if p.grad is None or not bool(p.grad.any())] == []


def test_dropout_acts_on_both_sides_while_training_only():
    lm = model(model=shape(dropout=0.5), body="encoder_decoder")
    tokens, source = ids(), lm.inputs(ids(T=9))
    assert not torch.equal(lm.body.read(source, lm.position), lm.body.read(source, lm.position))
    assert not torch.equal(lm(tokens, source=ids(T=9)), lm(tokens, source=ids(T=9)))
    lm.eval()
    assert torch.equal(lm(tokens, source=ids(T=9)), lm(tokens, source=ids(T=9)))
