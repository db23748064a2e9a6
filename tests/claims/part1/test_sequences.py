"""Order in final states, and a model whose states are its rows."""

from __future__ import annotations

import pytest

from rowspace.claims.part1 import sequences
from tests.parts import option


def test_states_tell_two_orders_apart_and_rows_in_their_place_do_not(ask, monkeypatch: pytest.MonkeyPatch):
    assert ask(sequences.order_is_in_the_states).word == "held"
    read = sequences.read_states
    monkeypatch.setattr(sequences, "read_states", lambda subject, texts: read(subject, texts)[:1])
    found = ask(sequences.order_is_in_the_states)
    assert (found.word, found.number) == ("failed", 0.0)


def test_a_run_without_a_body_is_no_sequence_model(ask):
    assert ask(sequences.order_is_in_the_states, config={"body": option("body", "none")}).word == "not asked"
