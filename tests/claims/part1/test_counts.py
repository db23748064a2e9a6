"""Counts and their weights: each verdict with a text or a weight that turns it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from rowspace.claims.part1 import counts
from rowspace.probing.base import Tables
from tests.claims.part1.conftest import placed


def test_common_words_dominate_a_text_and_not_one_in_which_all_are_as_common(ask, monkeypatch: pytest.MonkeyPatch):
    assert ask(counts.common_words_dominate).word == "held"
    monkeypatch.setattr(counts, "find_document_counts", lambda text: flat())
    assert ask(counts.common_words_dominate).word == "failed"


def test_a_text_of_ten_tokens_has_no_others_to_dominate(ask, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(counts, "find_document_counts", lambda text: flat(10))
    found = ask(counts.common_words_dominate)
    assert (found.word, found.why) == ("not asked", "the text has 10 different tokens, and the 10 commonest are asked")


def flat(tokens: int = 40):
    from scipy import sparse

    return sparse.csr_array(np.ones((tokens, 7)))


def test_rows_lose_order_and_rows_that_know_their_place_do_not(ask, run):
    assert ask(counts.bags_lose_order).word == "held"
    rows = run.tables["E"].vectors

    class Knows:
        def __getitem__(self, ids):
            return placed(rows[ids], ids)

    knows = SimpleNamespace(vectors=Knows())
    found = ask(counts.bags_lose_order, tables=Tables({"E": lambda: knows}))
    assert found.word == "failed"
    assert found.number > 0


def test_weights_fall_with_documents_in_every_variant_and_one_that_rises_is_found(ask, monkeypatch):
    assert ask(counts.frequent_words_weigh_less).word == "held"
    find = counts.find_idf
    monkeypatch.setattr(counts, "find_idf", lambda c, variant: find(c, variant) * (-1 if variant == "smooth" else 1))
    assert ask(counts.frequent_words_weigh_less).word == "failed"


@pytest.mark.parametrize(("weight", "word"), [(0.0, "held"), (1.0, "failed"), (None, "conditional")])
def test_a_word_of_every_document_weighs_nothing_in_some_variants(ask, monkeypatch, weight: float | None, word: str):
    if weight is not None:
        monkeypatch.setattr(counts, "find_idf", lambda c, variant: np.full(c.shape[0], weight))
    found = ask(counts.a_word_of_every_document_weighs_nothing)
    assert found.word == word
    if weight is None:
        assert "textbook 0, base_two 0, smooth 1, unsmoothed 1" in found.why
