"""The function stays the same under a rotation of the space, for every kind of block but with LayerNorm."""

from __future__ import annotations

import pytest
import torch

from rowspace.errors import ConfigError
from rowspace.model.gauge import measure_rotation_error, random_rotation, rotated
from tests.parts import ids, model, option, pairs


def loud(**choices):
    """A model in float64 whose gains, offsets and biases are not those of the start."""
    lm = model(**choices).double()
    generator = torch.Generator().manual_seed(0)
    for name, parameter in lm.named_parameters():
        if "norm" in name or name.endswith("bias"):
            parameter.data.add_(0.3 * torch.randn(parameter.shape, generator=generator).double())
    return lm


@pytest.mark.parametrize(("position", "body"), [p for p in pairs() if p[1] in ("decoder", "encoder", "none")])
def test_the_function_turns_with_the_space_under_every_scheme(position: str, body: str):
    lm = loud(position=position, body=body, head=option("head", "linear", bias="zero"))
    assert measure_rotation_error(lm, ids(), seed=0) < 1e-12


@pytest.mark.parametrize("feedforward", ["gelu", "swiglu"])
@pytest.mark.parametrize("norm", ["rmsnorm", "layernorm"])
def test_it_does_for_every_block_with_biases_but_not_where_a_norm_centres(feedforward: str, norm: str):
    body = option("body", "decoder", norm=norm, feedforward=feedforward, bias=True)
    for tie in (True, False):
        error = measure_rotation_error(loud(body=body, head=option("head", "linear", tie=tie)), ids(), seed=0)
        assert (error < 1e-12) == (norm == "rmsnorm")


def test_gains_are_folded_without_a_rotation_whatever_the_norm():
    body = option("body", "decoder", norm="layernorm", bias=True)
    lm = loud(body=body)
    turned = rotated(lm, torch.eye(16, dtype=torch.float64))
    torch.testing.assert_close(turned.logits(turned(ids())), lm.logits(lm(ids())), atol=1e-12, rtol=0)
    assert turned.head.weight is not turned.embedding.weight
    assert lm.head.weight is lm.embedding.weight


def test_a_rotation_is_one_and_moves_every_row():
    Q = random_rotation(16, seed=0)
    torch.testing.assert_close(Q @ Q.t(), torch.eye(16).double(), atol=1e-12, rtol=0)
    lm = model().double()
    assert not torch.isclose(rotated(lm, Q).embedding.weight, lm.embedding.weight, atol=1e-6).all(1).any()


def test_a_recurrent_body_is_refused_in_words():
    with pytest.raises(ConfigError, match="one stack of attention blocks"):
        measure_rotation_error(model(body="lstm", position="none").double(), ids(), seed=0)
