"""What a language model is: the chain rule, continuations, and text that it never saw."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rowspace.claims.part1 import language_model
from tests.claims.part1.conftest import answered
from tests.parts import option


def test_the_chain_rule_holds_and_fails_where_a_state_sees_what_it_predicts(ask):
    held = ask(language_model.chain_rule)
    assert held.word == "held"
    assert held.number < 1e-12
    assert ask(language_model.chain_rule, lambda model: setattr(model.body, "causal", False)).word == "failed"


def test_a_body_that_gives_no_next_token_a_probability_is_not_asked(ask):
    found = ask(language_model.chain_rule, config={"body": option("body", "encoder")})
    assert (found.word, found.number) == ("not asked", None)
    assert "body=encoder" in found.why


@pytest.mark.parametrize(("share", "word"), [(0.9, "held"), (0.5, "failed"), (0.1, "failed")])
def test_continuations_must_beat_chance(ask, share: float, word: str):
    known = answered("cloze", "probe/cloze/share_positive", share, numbers={"probe/cloze/margin": 1.0})
    assert ask(language_model.plausible_continuations, known=known).word == word


@pytest.mark.parametrize(("nats", "word"), [(90.0, "held"), (110.0, "failed")])
def test_unseen_text_must_cost_less_than_by_frequency(ask, nats: float, word: str):
    found = SimpleNamespace(nats=nats, unigram_nats=100.0, tokens=10)
    assert ask(language_model.structure_carries_over, known={"test": found}).word == word


def test_a_model_that_learned_nothing_does_not_beat_frequency(ask):
    found = ask(language_model.structure_carries_over)
    assert found.word == "failed"
    assert found.number > 0
