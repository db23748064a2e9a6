"""Every registered position scheme, held to what it claims: one suite, chosen by the claims."""

from __future__ import annotations

import pytest
import torch

from rowspace.model.certificates import visibility
from rowspace.position.invariance import certify, measure_offset_error
from rowspace.position.scheme import PositionScheme
from tests.parts import ids, model, names, option, shape

SCHEMES = names("position")
INSIDE = [name for name in SCHEMES if option("position", name).inside_attention]
RELATIVE = [name for name in SCHEMES if option("position", name).relative]
LEARNED = [name for name in SCHEMES if option("position", name).learned]


def built(name: str, n_ctx: int = 12) -> PositionScheme:
    """d = 16 in two heads."""
    generator = torch.Generator().manual_seed(0)
    return option("position", name).build(d=16, heads=2, n_ctx=n_ctx, generator=generator)


def lively(name: str, layers: int = 2):
    """A decoder with weights large enough for order to matter."""
    body = option("body", "decoder", init_std=0.4)
    return model(model=shape(layers=layers), body=body, position=name).double()


@pytest.mark.parametrize("name", SCHEMES)
def test_hooks_keep_shapes_and_types(name: str):
    scheme = built(name)
    h, q, k = torch.randn(2, 12, 16), torch.randn(2, 2, 12, 8), torch.randn(2, 2, 12, 8)
    for positions in (None, torch.arange(12).expand(2, 12)):
        assert scheme.add(h, positions).shape == h.shape
        assert [scheme.rotate(x, positions).shape for x in (q, k)] == [q.shape, k.shape]
        at = torch.arange(12).expand(2, 12)
        bias = scheme.bias(at, at, h)
        assert bias is None or torch.broadcast_shapes(bias.shape, (2, 2, 12, 12)) == (2, 2, 12, 12)


@pytest.mark.parametrize("name", SCHEMES)
def test_the_live_scheme_has_its_certificate(name: str):
    certificate = certify(option("position", name), built(name), d=16, heads=2, n_ctx=12)
    assert certificate["verdict"] == "held", certificate


@pytest.mark.parametrize("name", SCHEMES)
def test_positions_left_out_are_those_from_0(name: str):
    lm, tokens = lively(name), ids()
    torch.testing.assert_close(lm(tokens), lm(tokens, torch.arange(12).expand(2, 12)))


@pytest.mark.parametrize("name", SCHEMES)
def test_no_position_sees_the_future(name: str):
    assert torch.equal(visibility(lively(name), ids(B=1)[0]), torch.ones(12, 12).tril().bool())


@pytest.mark.parametrize("name", SCHEMES)
def test_the_order_of_earlier_tokens_changes_a_single_layer_unless_there_are_no_positions(name: str):
    lm, tokens = lively(name, layers=1), ids(B=1)
    swapped = tokens[:, [1, 0, *range(2, 12)]]
    difference = float((lm(tokens)[0, -1] - lm(swapped)[0, -1]).detach().abs().max())
    assert (difference > 1e-6) == (name != "none")


@pytest.mark.parametrize("name", SCHEMES)
def test_two_causal_layers_know_the_order_even_without_positions(name: str):
    lm, tokens = lively(name, layers=2), ids(B=1)
    swapped = tokens[:, [1, 0, *range(2, 12)]]
    assert float((lm(tokens)[0, -1] - lm(swapped)[0, -1]).detach().abs().max()) > 1e-6


@pytest.mark.parametrize("name", SCHEMES)
def test_permuting_positions_changes_the_output_unless_there_are_none(name: str):
    lm, tokens = lively(name), ids()
    permuted = torch.randperm(12, generator=torch.Generator().manual_seed(0)).expand(2, 12)
    difference = float((lm(tokens) - lm(tokens, permuted)).detach().abs().max())
    assert (difference > 1e-4) == (name != "none")


@pytest.mark.parametrize("name", INSIDE)
def test_schemes_inside_attention_leave_h0_to_the_rows_and_act_in_every_layer(name: str):
    lm, tokens = lively(name), ids()
    assert torch.equal(lm.inputs(tokens), lm.embedding.weight[tokens])
    seen = []
    rotate, bias = lm.position.rotate, lm.position.bias
    lm.position.rotate = lambda x, p: seen.append("rotate") or rotate(x, p)  # type: ignore[method-assign]
    lm.position.bias = lambda *at: seen.append("bias") or bias(*at)  # type: ignore[method-assign]
    lm(tokens)
    assert seen.count("rotate") == 4  # queries and keys of two layers
    assert "bias" in seen


@pytest.mark.parametrize("name", RELATIVE)
def test_scores_of_relative_schemes_survive_a_shift_of_a_thousand_positions(name: str):
    assert measure_offset_error(built(name).double(), heads=2, d_head=8, shift=1000) < 1e-9


@pytest.mark.parametrize("name", RELATIVE)
def test_a_whole_model_with_a_relative_scheme_survives_a_shift(name: str):
    lm, tokens = lively(name), ids()
    shifted = lm(tokens, (torch.arange(12) + 500).expand(2, 12))
    torch.testing.assert_close(lm(tokens), shifted, atol=1e-8, rtol=0)


@pytest.mark.parametrize("name", SCHEMES)
def test_only_learned_schemes_have_parameters(name: str):
    assert any(p.requires_grad for p in built(name).parameters()) == (name in LEARNED)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_longer_text_is_served_or_refused_as_the_option_says(name: str):
    lm = model(position=name)
    if option("position", name).max_positions(12) is None:
        assert lm(ids(T=20)).shape == (2, 20, 16)
        torch.testing.assert_close(lm(ids(T=20))[:, :12], lm(ids(T=20)[:, :12]), atol=1e-5, rtol=1e-5)
    else:
        with pytest.raises(Exception, match="no row for position 19"):
            lm(ids(T=20))
