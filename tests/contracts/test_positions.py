"""Every registered position scheme, held to what it claims: one suite, chosen by the claims."""

from __future__ import annotations

import pytest
import torch

from rowspace.errors import ConfigError
from rowspace.model.certificates import visibility
from rowspace.model.symmetries import measure_order, measure_permutation_error
from rowspace.model.wiring import measure_turned
from rowspace.position.certificate import certify
from rowspace.position.frequencies import RopeOption
from rowspace.position.invariance import measure_offset_error
from rowspace.position.laws import find_broken_laws
from rowspace.position.scheme import PositionScheme
from rowspace.position.signatures import added_rows
from tests.parts import ids, model, names, option, refusals, shape

SCHEMES = names("position")
INSIDE = [name for name in SCHEMES if option("position", name).inside_attention]
RELATIVE = [name for name in SCHEMES if option("position", name).relative]
ROTARY = [name for name in SCHEMES if isinstance(option("position", name), RopeOption)]
SCALED = [name for name in ROTARY if "factor" in type(option("position", name)).model_fields]
LEARNED = [name for name in SCHEMES if option("position", name).learned]


def built(name: str, n_ctx: int = 12) -> PositionScheme:
    """d = 16 in two heads."""
    generator = torch.Generator().manual_seed(0)
    return option("position", name).build(d=16, heads=2, n_ctx=n_ctx, generator=generator)


def lively(name: str, layers: int = 2, body: str = "decoder"):
    """A body with weights large enough for order to matter."""
    loud = option("body", body, init_std=0.4)
    return model(model=shape(layers=layers), body=loud, position=name).double()


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
    assert certificate.held, certificate


@pytest.mark.parametrize("name", ROTARY)
def test_rotations_keep_the_laws_of_reduction_direction_and_length(name: str):
    for d_head, n_ctx, changes in ((8, 12, {}), (32, 64, {"base": 50.0}), (64, 2048, {"base": 500000.0})):
        chosen = option("position", name, **changes)
        scheme = chosen.build(d=2 * d_head, heads=2, n_ctx=n_ctx, generator=None)
        assert find_broken_laws(chosen, scheme, heads=2, d_head=d_head, n_ctx=n_ctx) == []


@pytest.mark.parametrize("name", SCALED)
@pytest.mark.parametrize("factor", [1.0, 1.5, 8.0])
def test_scalings_keep_their_laws_for_every_factor(name: str, factor: float):
    chosen = option("position", name, factor=factor)
    scheme = chosen.build(d=64, heads=2, n_ctx=256, generator=None)
    assert find_broken_laws(chosen, scheme, heads=2, d_head=32, n_ctx=256) == []


@pytest.mark.parametrize("name", SCALED)
def test_a_model_with_a_factor_of_one_is_the_model_with_plain_rope(name: str):
    base = option("position", name).base
    scaled = model(position=option("position", name, factor=1.0))
    assert torch.equal(scaled(ids()), model(position=option("position", "rope", base=base))(ids()))


@pytest.mark.parametrize("name", SCALED)
def test_a_scaling_changes_the_output_of_a_longer_window(name: str):
    base = option("position", name).base
    scaled, plain = (model(position=chosen).double() for chosen in (name, option("position", "rope", base=base)))
    assert float((scaled(ids(T=30)) - plain(ids(T=30))).detach().abs().max()) > 1e-6


@pytest.mark.parametrize("name", SCHEMES)
def test_positions_left_out_are_those_from_0(name: str):
    lm, tokens = lively(name), ids()
    torch.testing.assert_close(lm(tokens), lm(tokens, torch.arange(12).expand(2, 12)))


@pytest.mark.parametrize("name", SCHEMES)
def test_no_position_sees_the_future(name: str):
    assert torch.equal(visibility(lively(name), ids(B=1)[0]), torch.ones(12, 12).tril().bool())


@pytest.mark.parametrize("name", SCHEMES)
def test_the_order_of_earlier_tokens_changes_a_single_layer_unless_there_are_no_positions(name: str):
    swapped = torch.tensor([1, 0, *range(2, 12)])
    assert (measure_order(lively(name, layers=1), ids(B=1)[0], swapped) > 1e-6) == (name != "none")


@pytest.mark.parametrize("name", SCHEMES)
def test_two_causal_layers_know_the_order_even_without_positions(name: str):
    assert measure_order(lively(name, layers=2), ids(B=1)[0], torch.tensor([1, 0, *range(2, 12)])) > 1e-6


@pytest.mark.parametrize("name", SCHEMES)
def test_permuting_positions_changes_the_output_unless_there_are_none(name: str):
    lm, tokens = lively(name), ids()
    permuted = torch.randperm(12, generator=torch.Generator().manual_seed(0)).expand(2, 12)
    difference = float((lm(tokens) - lm(tokens, permuted)).detach().abs().max())
    assert (difference > 1e-4) == (name != "none")


@pytest.mark.parametrize("name", SCHEMES)
def test_rotation_reaches_queries_and_keys_of_every_layer_and_no_scheme_turns_values(name: str):
    layers = measure_turned(lively(name), ids(B=1)[0])
    assert [one.values for one in layers] == [0, 0]
    for one in layers:
        assert (one.queries > 1e-3, one.keys > 1e-3) == (name in ROTARY, name in ROTARY)


@pytest.mark.parametrize("name", INSIDE)
def test_schemes_inside_attention_leave_h0_to_the_rows_and_act_in_every_layer(name: str):
    lm, tokens = lively(name), ids()
    assert torch.equal(lm.inputs(tokens), lm.embedding.weight[tokens])
    assert not added_rows(lm.position, n=12, d=16).any()
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
def test_the_same_text_at_two_places_of_a_window_has_the_same_states_under_a_relative_scheme(name: str):
    lm, tokens = lively(name), ids()
    places, segments = torch.cat((torch.arange(12), torch.arange(12) + 500)), torch.arange(24) // 12
    states = lm(torch.cat((tokens, tokens), dim=1), places.expand(2, 24), segments.expand(2, 24))
    torch.testing.assert_close(states[:, :12], states[:, 12:], atol=1e-8, rtol=0)


@pytest.mark.parametrize("name", SCHEMES)
def test_only_learned_schemes_have_parameters(name: str):
    assert any(p.requires_grad for p in built(name).parameters()) == (name in LEARNED)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_longer_text_is_served_or_refused_as_the_option_says(name: str):
    lm, chosen = model(position=name).double(), option("position", name)
    if chosen.max_positions(12) is None:
        longer, alone = lm(ids(T=20)), lm(ids(T=20)[:, :12])
        assert longer.shape == (2, 20, 16)
        assert bool(torch.isclose(longer[:, :12], alone, atol=1e-9).all()) == (not chosen.stretches)
    else:
        with pytest.raises(ConfigError, match="no row for position 19"):
            lm(ids(T=20))


@pytest.mark.parametrize("beyond", ["clamp", "interpolate"])
def test_a_learned_table_serves_a_longer_text_where_that_is_asked_for(beyond: str):
    chosen = option("position", "learned", beyond=beyond)
    lm = model(position=chosen).double()
    same = bool(torch.isclose(lm(ids(T=20))[:, :12], lm(ids(T=20)[:, :12]), atol=1e-9).all())
    assert same == (not chosen.stretches) == (beyond == "clamp")


@pytest.mark.parametrize("name", SCHEMES)
def test_a_short_window_after_a_long_one_is_read_as_if_nothing_had_been_before(name: str):
    lm, tokens = model(position=name), ids(T=7)
    before = lm(tokens)
    if option("position", name).max_positions(12) is None:
        lm(ids(T=50))
    assert torch.equal(lm(tokens), before)


@pytest.mark.parametrize("name", SCHEMES)
def test_isolated_documents_are_not_read_by_the_length_of_their_neighbours(name: str):
    changes = {key: 4 for key in ("trained_n_ctx", "n_max") if key in type(option("position", name)).model_fields}
    for beyond in ({"beyond": "interpolate"}, {"beyond": "clamp"}) if name == "learned" else ({},):
        chosen = option("position", name, **changes, **beyond)
        said = refusals(chosen, "decoder", data=option("data", "glosses", documents="isolated"))
        if chosen.stretches:
            assert [str(one) for one in said] == [
                f"data.documents: isolated was given, and position={name} stretches by the length of the window "
                "beyond 4; packed, or model.n_ctx=4 at most"
            ]
            continue
        assert said == []
        lm = model(position=chosen).double()
        tokens, positions = ids(B=2), torch.stack([torch.arange(12), torch.arange(12) % 3])
        segments = torch.stack([torch.zeros(12, dtype=torch.long), torch.arange(12) // 3])
        both = lm(tokens, positions, segments)
        torch.testing.assert_close(both[1:], lm(tokens[1:], positions[1:], segments[1:]), atol=1e-10, rtol=0)


@pytest.mark.parametrize("parts", [[20], [1] * 20, [5, 14, 1]])
@pytest.mark.parametrize("name", [name for name in SCHEMES if option("position", name).max_positions(12) is None])
def test_a_text_beyond_the_window_is_read_in_parts_as_it_is_at_once_unless_the_scheme_stretches(
    name: str, parts: list[int]
):
    layers = 1 if option("position", name).stretches else 2
    lm, tokens = lively(name, layers=layers), ids(T=20)
    cache = lm.body.cache()
    found = [lm.states(part, cache=cache)[-1] for part in tokens.split(parts, dim=1)]
    torch.testing.assert_close(found[-1], lm(tokens)[:, -parts[-1] :], atol=1e-10, rtol=0)


@pytest.mark.parametrize("name", SCHEMES)
def test_bidirectional_layers_without_positions_permute_with_their_input_and_with_positions_do_not(name: str):
    for layers in (1, 3):
        permuted = torch.randperm(12, generator=torch.Generator().manual_seed(0))
        difference = measure_permutation_error(lively(name, layers=layers, body="encoder"), ids(B=1)[0], permuted)
        assert (difference > 1e-6) == (name != "none")
