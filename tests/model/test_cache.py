"""A text read in parts, with a cache, gives the states of the text read at once."""

from __future__ import annotations

import pytest
import torch

from rowspace.model.cache import KeyValues
from rowspace.registry import options
from tests.parts import ids, model, pairs

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
