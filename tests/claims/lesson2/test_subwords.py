"""Closure, lengths and merges: each verdict with a tokenizer that turns it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from rowspace.claims.lesson2 import subwords
from rowspace.model.products import Products
from rowspace.tokenization.base import Encoded
from rowspace.tokenization.hostile import code_point_blocks
from tests.claims.lesson2.conftest import TEXTS
from tests.tokenization import corpora

FRESH = corpora.option("bpe")


@pytest.fixture(autouse=True)
def _few_code_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rowspace.tokenization.closure.code_point_blocks", lambda: list(code_point_blocks())[::500])


def miscounting() -> Any:
    """A bpe whose last token claims a byte too many."""
    made = FRESH.fit(TEXTS)
    plain = made.encode_documents

    def off_by_one(documents: Any) -> Encoded:
        encoded = plain(documents)
        sizes = encoded.token_bytes.copy()
        sizes[-1:] += 1
        return Encoded(encoded.ids, sizes, encoded.offsets)

    made.encode_documents = off_by_one
    return made


def test_bytes_that_do_not_add_up_open_a_closed_tokenizer(ask: Any) -> None:
    assert ask(subwords.bytes_close_the_vocabulary).word == "held"
    found = ask(subwords.bytes_close_the_vocabulary, tokenizer=miscounting())
    assert found.word == "failed"
    assert "OPEN by token bytes that do not add up" in found.why
    word = corpora.option("word").fit(TEXTS)
    assert ask(subwords.bytes_close_the_vocabulary, tokenizer=word).word == "not asked"


def test_subwords_with_a_byte_fallback_are_closed_and_words_with_one_too(ask: Any) -> None:
    byte_level = (FRESH, FRESH.fit(TEXTS))
    assert ask(subwords.subwords_are_closed).word == "failed"
    assert ask(subwords.subwords_are_closed, known={("fitted", "wordpiece", ()): byte_level}).word == "held"
    assert ask(subwords.words_are_open).word == "held"
    assert ask(subwords.words_are_open, known={("fitted", "word", ()): byte_level}).word == "failed"


def test_bytes_that_were_merged_are_not_as_long_as_the_text(ask: Any) -> None:
    assert ask(subwords.bytes_are_closed_and_long).number == 1
    merged = {("fitted", "byte", ()): (FRESH, FRESH.fit(TEXTS))}
    assert ask(subwords.bytes_are_closed_and_long, known=merged).word == "failed"


def test_a_bpe_without_merges_is_no_shorter_than_bytes(ask: Any) -> None:
    assert ask(subwords.subwords_are_shorter_than_bytes).word == "held"
    unmerged = corpora.option("bpe", vocab_size=257).fit(TEXTS)
    found = ask(subwords.subwords_are_shorter_than_bytes, tokenizer=unmerged)
    assert (found.word, found.number) == ("failed", 1)
    assert ask(subwords.subwords_are_shorter_than_bytes, tokenizer=corpora.option("byte").fit()).word == "not asked"


def test_attention_whose_cost_grows_with_the_length_alone_is_found(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(subwords.attention_costs_the_square).number == 0
    linear = lambda lm, T: Products(1, T, None, T, T, T, 2, 0, 0)  # noqa: E731
    monkeypatch.setattr(subwords, "count_products", linear)
    found = ask(subwords.attention_costs_the_square)
    assert (found.word, found.number) == ("failed", 2)


def test_an_alphabet_without_a_byte_is_found(ask: Any) -> None:
    own = ask.run.tokenizer
    assert ask(subwords.merging_starts_from_bytes).word == "held"
    stored = json.loads(own.json)
    del stored["model"]["vocab"]["\u0100"]  # the letter of byte 0
    lacking = SimpleNamespace(name="bpe", json=json.dumps(stored), vocab_size=own.vocab_size, special=own.special)
    found = ask(subwords.merging_starts_from_bytes, tokenizer=lacking)
    assert (found.word, found.number) == ("failed", 255)
    fewer = {"tokenizer": ask.option("tokenizer", vocab_size=400)}
    assert ask(subwords.merging_starts_from_bytes, config=fewer).word == "failed"


def test_merges_of_another_text_are_not_the_most_frequent_pairs_of_this_one(ask: Any) -> None:
    assert ask(subwords.merges_are_the_most_frequent_pairs).word == "held"
    other = corpora.option("bpe", vocab_size=266).fit(["zq zq zqx xv xv vx kz kz zk"] * 9)
    known = {("fitted", "bpe", ()): (FRESH, other)}
    assert ask(subwords.merges_are_the_most_frequent_pairs, known=known).word == "failed"


def test_an_encoding_that_does_not_apply_the_merges_is_found(ask: Any) -> None:
    found = ask(subwords.merges_are_reapplied_in_order)
    assert found.word == "held"
    assert "in the reverse order 0 of" not in found.why
    unmerged = FRESH.fit(TEXTS)
    unmerged.encode = lambda text: [1 + byte for byte in text.encode()]
    assert ask(subwords.merges_are_reapplied_in_order, tokenizer=unmerged).word == "failed"


def test_wordpiece_merges_by_likelihood_where_that_trainer_was_chosen(ask: Any) -> None:
    found = ask(subwords.wordpiece_merges_by_likelihood)
    assert found.word == "failed"
    assert "the usual library's (this run has no WordPiece)" in found.why
    for trainer, word in (("likelihood", "held"), ("frequency", "failed")):
        own = {"tokenizer": corpora.option("wordpiece", trainer=trainer, min_frequency=2)}
        assert ask(subwords.wordpiece_merges_by_likelihood, config=own).word == word
