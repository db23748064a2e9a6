"""Lines of a run: its rows, then its layers, each with every cell, and what the position scheme puts into layer 0."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rowspace.preservation.columns import CONTEXT, FREQUENCY, IDENTITY, ORDER, SENSE, TESTS
from rowspace.preservation.lines import in_chapter_order, run_lines
from rowspace.probes.order import ROUNDING
from rowspace.table import Missing


def test_a_decoder_with_rotary_positions_has_order_beyond_layer_0_only(ground, run):
    lines = list(run_lines(ground, run("head.tie=false"), "run0", "decoder"))
    assert [line.key for line in lines] == ["run0_E", "run0_U", "run0_layer0", "run0_layer1", "run0_layer2"]
    assert [line.kind for line in lines] == ["rows", "rows", "states", "states", "states"]
    assert all(set(line.scores) == {test.key for test in TESTS} for line in lines)
    orders = [line.scores[ORDER.key].value for line in lines]
    assert orders[:3] == [0.0, 0.0, 0.0]
    assert min(orders[3:]) > 100 * ROUNDING
    assert lines[2].untrained == 0.0
    assert lines[3].untrained > ROUNDING
    assert lines[2].adds.startswith("nothing yet")
    assert [line.last for line in lines] == [False, False, False, False, True]


def test_layer_0_is_its_row_in_all_that_a_row_holds(ground, run):
    E, h0 = (line.scores for line in list(run_lines(ground, run(), "run0", "decoder"))[:2])
    assert E[IDENTITY.key].value == h0[IDENTITY.key].value == 1.0
    assert h0[IDENTITY.key].n < E[IDENTITY.key].n == E[IDENTITY.key].asked  # some tokens were not read twice
    assert h0[SENSE.key].value == h0[SENSE.key].chance
    assert h0[FREQUENCY.key].n < E[FREQUENCY.key].n
    assert h0[CONTEXT.key].n == E[CONTEXT.key].n


@pytest.mark.parametrize("position", ["sinusoidal", pytest.param("learned", marks=pytest.mark.slow)])
def test_an_added_position_is_seen_at_layer_0(ground, run, position):
    lines = list(run_lines(ground, run(f"position={position}", "model.layers=1"), "run0", "decoder"))
    assert lines[0].scores[ORDER.key].value == 0.0
    assert lines[1].scores[ORDER.key].value > ROUNDING
    assert lines[1].adds.startswith("where the token stands")


@pytest.mark.slow
def test_a_recurrent_run_knows_order_through_its_state(ground, run):
    lines = list(run_lines(ground, run("body=rnn", "position=none"), "run0", "rnn"))
    orders = [line.scores[ORDER.key].value for line in lines]
    assert orders[:2] == [0.0, 0.0]
    assert orders[-1] > ROUNDING
    assert lines[-1].place == "Part 1, 10"


@pytest.mark.slow
def test_a_body_of_two_texts_has_rows_alone(ground, run):
    special = 'tokenizer.special_tokens=["<eos>","<span_0>","<span_1>","<span_2>"]'
    lines = list(run_lines(ground, run("body=encoder_decoder", special), "run0", "encoder_decoder"))
    assert [line.key for line in lines] == ["run0_E"]
    assert not isinstance(lines[0].scores[IDENTITY.key].value, Missing)


def test_runs_come_in_the_chapters_order():
    bodies = {"a": "decoder", "b": "another", "c": "lstm", "d": "rnn"}
    held = {key: SimpleNamespace(config=SimpleNamespace(body=SimpleNamespace(name=n))) for key, n in bodies.items()}
    assert in_chapter_order(held) == ["d", "c", "a", "b"]
