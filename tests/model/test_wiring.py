"""Where schemes act: what reaches attention, and what the body reads."""

from __future__ import annotations

import pytest
import torch

from rowspace.errors import ConfigError
from rowspace.model.wiring import measure_input_error, measure_turned
from tests.parts import ids, model, option

TOKENS = ids(B=1)[0]


def test_rotation_turns_queries_and_keys_of_each_layer_and_keeps_values_and_lengths():
    layers = measure_turned(model(position="rope").double(), TOKENS)
    assert len(layers) == 2
    for one in layers:
        assert one.values == 0
        assert min(one.queries, one.keys) > 0.1
        assert one.lengths < 1e-12


@pytest.mark.parametrize("position", ["none", "sinusoidal", "learned", "alibi", "t5_bias"])
def test_other_schemes_turn_nothing(position: str):
    for one in measure_turned(model(position=position), TOKENS):
        assert (one.queries, one.keys, one.values, one.lengths) == (0, 0, 0, 0)


def test_an_attention_factor_is_a_change_of_length():
    chosen = option("position", "rope_yarn", factor=4.0)
    found = measure_turned(model(position=chosen).double(), TOKENS)[0].lengths
    assert found == pytest.approx(chosen.attention_factor() - 1)


def test_a_body_without_self_attention_is_refused():
    with pytest.raises(ConfigError, match="no self-attention"):
        measure_turned(model(body="rnn", position="none"), TOKENS)


@pytest.mark.parametrize("position", ["none", "rope", "sinusoidal", "learned"])
@pytest.mark.parametrize("scale", ["none", "sqrt_d"])
def test_h0_is_scaled_rows_and_what_positions_add(position: str, scale: str):
    lm = model(position=position, embedding=option("embedding", "normal", scale=scale))
    assert measure_input_error(lm, TOKENS) == 0
    lm.embedding.register_forward_hook(lambda module, given, rows: rows + 0.5)
    assert measure_input_error(lm, TOKENS) == pytest.approx(0.5)


def test_only_the_rows_that_are_read_count():
    lm = model(position="learned")
    with torch.no_grad():
        lm.position.table[5] = 9.0
    assert measure_input_error(lm, TOKENS) == 0
