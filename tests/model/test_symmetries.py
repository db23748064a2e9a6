"""Order and sets, against models whose answer is known."""

from __future__ import annotations

import pytest
import torch

from rowspace.errors import ConfigError
from rowspace.model.ledger import state_hash
from rowspace.model.symmetries import isolation, measure_order, measure_permutation_error, variant
from tests.parts import ids, model, option, shape

LOUD = option("body", "decoder", init_std=0.4)
TOKENS = ids(B=1)[0]
ORDER = torch.tensor([3, 1, 0, 2, 7, 5, 6, 4, 9, 8, 10, 11])


def test_without_mask_and_positions_a_model_is_a_function_of_a_set_and_with_either_it_is_not():
    lm = model(body=LOUD)
    before = state_hash(lm)
    found = {
        (masked, positions): measure_permutation_error(variant(lm, masked=masked, positions=positions), TOKENS, ORDER)
        for masked in (True, False)
        for positions in (True, False)
    }
    assert found.pop((False, False)) < 1e-12
    assert min(found.values()) > 0.01
    assert state_hash(lm) == before
    assert lm.body.causal
    assert variant(lm).embedding.weight.dtype == torch.float64


@pytest.mark.parametrize(("layers", "knows"), [(1, False), (2, True)])
def test_the_last_state_of_a_causal_model_without_positions_knows_the_order_from_two_layers_on(
    layers: int, knows: bool
):
    bare = variant(model(model=shape(layers=layers), body=LOUD), positions=False)
    assert (measure_order(bare, TOKENS, ORDER) > 1e-6) == knows
    with pytest.raises(ValueError, match="moves the last token"):
        measure_order(bare, TOKENS, ORDER.flip(0))


def test_a_body_without_attention_has_no_mask_to_change():
    lstm = model(body="lstm", position="none")
    assert measure_permutation_error(variant(lstm), TOKENS, ORDER) > 0.01
    with pytest.raises(ConfigError, match="no attention"):
        variant(lstm, masked=False)


@pytest.mark.parametrize("position", ["none", "rope", "sinusoidal", "learned"])
def test_a_row_of_h0_is_its_own_tokens_alone(position: str):
    lm = model(position=position)
    assert torch.equal(isolation(lm, TOKENS), torch.eye(12).bool())
    lm.embedding.register_forward_hook(lambda module, given, rows: rows.cumsum(-2))
    assert torch.equal(isolation(lm, TOKENS), torch.ones(12, 12).tril().bool())
