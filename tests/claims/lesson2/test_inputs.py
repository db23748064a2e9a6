"""H0, and the table of quantities: each verdict with a model that turns it."""

from __future__ import annotations

from typing import Any

from rowspace.claims.lesson2 import inputs, table
from tests.claims.lesson2.conftest import hooked
from tests.claims.lesson2.test_position import placed
from tests.parts import option


def test_an_input_with_something_else_in_it_is_found(ask: Any) -> None:
    assert ask(inputs.input_is_rows_and_positions).number == 0
    assert ask(inputs.input_is_rows_and_positions, hooked(lambda weight, ids, rows: rows + 0.01)).word == "failed"


def test_a_scheme_inside_attention_that_adds_is_found(ask: Any) -> None:
    sinusoidal = option("position", "sinusoidal")
    adding = sinusoidal.build(d=16, heads=2, n_ctx=16, generator=None)
    assert ask(inputs.schemes_inside_attention_add_nothing).number == 0
    assert ask(inputs.schemes_inside_attention_add_nothing, placed(adding)).word == "failed"
    of_its_own = {"position": sinusoidal}
    assert ask(inputs.schemes_inside_attention_add_nothing, placed(adding), config=of_its_own).word == "not asked"


def test_rows_that_know_of_each_other_are_found(ask: Any) -> None:
    assert ask(inputs.rows_of_the_input_are_isolated).number == 0
    mixing = hooked(lambda weight, ids, rows: rows + rows.mean(-2, keepdim=True))
    assert ask(inputs.rows_of_the_input_are_isolated, mixing).number == 16 * 15


def test_a_state_of_another_width_is_found(ask: Any) -> None:
    def narrow(model: Any) -> None:
        model.body.register_forward_hook(lambda module, given, states: [states[0], states[1][..., :8], states[2]])

    assert ask(inputs.states_keep_their_shape).number == 0
    found = ask(inputs.states_keep_their_shape, narrow)
    assert (found.word, found.number) == ("failed", 1)


def test_a_quantity_of_another_kind_is_found(ask: Any) -> None:
    def keep(model: Any) -> None:
        model.position.register_buffer("table", model.position.table, persistent=True)

    found = ask(table.kinds_of_numbers_are_those_of_the_table)
    assert found.word == "held"
    assert "E, position.table, ids, H0" in found.why
    found = ask(table.kinds_of_numbers_are_those_of_the_table, keep)
    assert (found.word, found.number) == ("failed", 1)
    assert "otherwise: position.table" in found.why
