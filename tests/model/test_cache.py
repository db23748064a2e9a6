"""A text read in parts, with a cache, gives the states of the text read at once."""

from __future__ import annotations

import pytest
import torch

from rowspace.errors import ConfigError
from rowspace.model.cache import KeyValues
from rowspace.registry import options
from tests.parts import ids, model, option, pairs, shape

CONTINUING = [(position, body) for position, body in pairs() if options("body")[body].continues]


@pytest.mark.parametrize("parts", [[12], [1] * 12, [5, 7], [3, 1, 1, 7]])
@pytest.mark.parametrize(("position", "body"), CONTINUING)
def test_reading_in_parts_gives_the_states_of_reading_at_once(position: str, body: str, parts: list[int]):
    lm, tokens = model(body=body, position=position).double(), ids()
    cache = lm.body.cache()
    found = torch.cat([lm.states(part, cache=cache)[-1] for part in tokens.split(parts, dim=1)], dim=1)
    torch.testing.assert_close(found, lm(tokens), atol=1e-10, rtol=0)
    assert cache.length == 12


def test_kept_keys_outlive_the_growth_of_their_memory():
    generator = torch.Generator().manual_seed(0)
    k, v = (torch.randn(2, 3, 40, 4, generator=generator) for _ in range(2))
    kept = KeyValues()
    for start in range(0, 40, 5):
        now = slice(start, start + 5)
        keys, values = kept.extend(k[:, :, now], v[:, :, now])
    assert torch.equal(keys, k)
    assert torch.equal(values, v)
    assert kept.length == 40


@pytest.mark.parametrize("body", ["encoder", "encoder_decoder"])
def test_a_body_that_does_not_continue_a_text_has_no_cache(body: str):
    assert not options("body")[body].continues
    with pytest.raises(TypeError, match="has no cache"):
        model(body=body, position="none").body.cache()


def test_keys_of_a_stretching_scheme_are_turned_anew_as_the_text_grows():
    """With one layer nothing but the keys depends on the length, so the newest state is that of reading at once."""
    position = option("position", "rope_dynamic_ntk", trained_n_ctx=4)
    lm, tokens = model(body="decoder", position=position, model=shape(layers=1)).double(), ids()
    assert not lm.position.steady
    cache = lm.body.cache()
    for length in range(1, 13):
        newest = lm.states(tokens[:, length - 1 : length], cache=cache)[-1]
        torch.testing.assert_close(newest, lm(tokens[:, :length])[:, -1:], atol=1e-10, rtol=0)


@pytest.mark.parametrize("name", options("position"))
def test_a_steady_scheme_turns_a_position_alike_in_windows_of_any_length(name: str):
    built = option("position", name).build(d=16, heads=2, n_ctx=12, generator=torch.Generator().manual_seed(0))
    x = torch.randn(1, 2, 12, 8, generator=torch.Generator().manual_seed(1))
    built.reach(12)
    before = built.rotate(x, None)
    if built.steady:
        for longer in (13, 90):
            try:
                built.reach(longer)
            except ConfigError:
                break
            assert torch.equal(built.rotate(x, None), before)
    else:
        built.reach(90)
        assert not torch.equal(built.rotate(x, None), before)
