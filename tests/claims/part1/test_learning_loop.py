"""A static row knows no sense; states may."""

from __future__ import annotations

import pytest

from rowspace.claims.part1 import learning_loop
from tests.claims.part1.conftest import answered


@pytest.mark.parametrize(
    ("first", "last", "word"), [(0.4, 0.9, "held"), (0.4, 0.4, "conditional"), (0.9, 0.9, "failed")]
)
def test_rows_at_chance_and_states_beyond_it(ask, first: float, last: float, word: str):
    rows = [
        {"layer": layer, "cue": "before", "accuracy": accuracy, "accuracy_chance": 0.4, "accuracy_high": 0.5}
        for layer, accuracy in ((0, first), (1, 0.5), (2, last))
    ]
    known = answered("senses", rows={"senses_layers": rows})
    assert ask(learning_loop.static_rows_choose_no_sense, known=known).word == word


def test_a_run_that_no_sentence_can_be_asked_of_is_not_asked(ask):
    assert ask(
        learning_loop.static_rows_choose_no_sense, known=answered("senses", rows={"senses_layers": []})
    ).word == ("not asked")
