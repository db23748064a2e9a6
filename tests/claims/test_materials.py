"""What claims are asked with: texts of a split, tokenizers at the size that a text gives, schemes of the run or not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from rowspace.claims.base import Asked
from rowspace.claims.materials import batches, fitted, rehearsed, scheme, texts, window, with_scheme
from rowspace.errors import ConfigError
from rowspace.model.ledger import state_hash
from rowspace.position.scheme import PositionScheme
from tests.claims.lesson2.conftest import TEXTS
from tests.parts import option, shape
from tests.probing.subjects import ignore


@pytest.fixture
def asked(run: Any, questions: Any) -> Asked:
    return Asked(replace(run, cache={}), questions, ignore)


def with_config(asked: Asked, **sections: Any) -> Asked:
    config = asked.subject.config.model_copy(update=sections)
    return Asked(replace(asked.subject, config=config), asked.questions, ignore)


def test_texts_are_spread_over_a_split_and_all_of_them_where_it_has_no_more(asked: Asked) -> None:
    documents = [text.encode() for text in TEXTS]
    assert texts(asked, "test") == documents
    assert texts(asked, "test", 4) == [documents[place * len(documents) // 4] for place in range(4)]


def test_windows_are_as_long_as_the_run_reads_at_most(asked: Asked) -> None:
    assert len(window(asked)) == 16
    assert [tuple(batch.ids.shape) for batch in batches(asked)] == [(4, 16)] * 3


def test_a_tokenizer_is_as_large_as_the_text_allows(asked: Asked) -> None:
    option_, word = fitted(asked, "word")
    assert option_.vocab_size == word.vocab_size == 64
    assert fitted(asked, "word")[1] is word
    assert fitted(asked, "bpe", digits="single")[0].digits == "single"


def test_a_text_that_gives_no_tokenizer_is_refused_with_its_own_sentence(asked: Asked) -> None:
    asked.subject.cache["claims", ("texts", "train", 1600)] = [b"a"]
    with pytest.raises(ConfigError, match="this training text can give at most"):
        fitted(asked, "word")


def test_steps_are_taken_once_and_on_copies(asked: Asked) -> None:
    before = state_hash(asked.subject.model)
    found = rehearsed(asked)
    assert rehearsed(asked) is found
    assert state_hash(asked.subject.model) == before != state_hash(found.model)
    assert not rehearsed(asked, untied=True).model.tied


def test_a_scheme_is_the_runs_own_where_it_has_it(asked: Asked) -> None:
    assert scheme(asked, "rope")[1] is asked.subject.model.position
    chosen, made, said = scheme(asked, "learned")
    assert (chosen.name, len(made.table)) == ("learned", 16)
    assert "built for this check (the run has rope)" in said
    scaled = with_config(asked, position=option("position", "rope_pi"))
    assert scheme(scaled, "rope")[0].name == "rope_pi"
    none = with_config(asked, position=option("position", "none"), model=shape(d=18, heads=2))
    with pytest.raises(ConfigError, match="no pairs"):
        scheme(none, "rope")


def test_another_scheme_under_the_same_weights_leaves_the_model_its_own(asked: Asked) -> None:
    own = asked.subject.model.position
    other = with_scheme(asked.subject.model, PositionScheme())
    assert asked.subject.model.position is own
    assert torch.equal(other.embedding.weight, asked.subject.model.embedding.weight)
