"""The tokenizer is frozen, and the gradient stops at the ids."""

from __future__ import annotations

from copy import copy
from typing import Any

import torch

from rowspace.claims.lesson2 import interface
from tests.claims.lesson2.conftest import TEXTS, hooked
from tests.tokenization import corpora


def test_another_tokenizer_than_that_of_the_training_text_is_found(ask: Any) -> None:
    assert ask(interface.tokenizer_is_frozen).word == "held"
    other = corpora.option("bpe").fit(TEXTS[:100])
    assert ask(interface.tokenizer_is_frozen, tokenizer=other).word == "failed"


def test_a_tokenizer_with_something_to_train_is_found(ask: Any) -> None:
    trained = copy(ask.run.tokenizer)
    trained.temperature = torch.ones(1)
    found = ask(interface.tokenizer_is_frozen, tokenizer=trained)
    assert (found.word, found.number) == ("failed", 1)


def test_a_gradient_that_goes_on_beyond_the_parameters_is_found(ask: Any) -> None:
    stray = torch.zeros(16, requires_grad=True)
    assert ask(interface.gradient_stops_at_the_ids).number == 0
    found = ask(interface.gradient_stops_at_the_ids, hooked(lambda weight, ids, rows: rows + stray))
    assert (found.word, found.number) == ("failed", 1)


def test_a_table_that_gets_no_gradient_is_found(ask: Any) -> None:
    assert ask(interface.gradient_reaches_the_table).word == "held"
    found = ask(interface.gradient_reaches_the_table, hooked(lambda weight, ids, rows: rows.detach()))
    assert (found.word, found.number) == ("failed", 0)
