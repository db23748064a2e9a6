"""Alike and together: a table that follows company, and a skip-gram whose products are exchanged."""

from __future__ import annotations

import pytest

from rowspace.claims.part1 import context_words
from rowspace.ladder.skip_gram import Shift
from tests.claims.part1.conftest import answered


@pytest.mark.parametrize(("value", "word"), [(0.9, "held"), (0.5, "failed")])
def test_rows_must_follow_company_beyond_chance(ask, value: float, word: str):
    numbers = {f"probe/association/spearman_decile_{n}": 0.1 for n in (1, 10)}
    known = answered("association", "probe/association/spearman", value, numbers=numbers)
    assert ask(context_words.similar_contexts_near_vectors, known=known).word == word


@pytest.mark.parametrize(
    ("together", "alike", "word"), [(0.8, 0.5, "conditional"), (0.5, 0.8, "held"), (0.8, -0.1, "failed")]
)
def test_together_is_told_from_alike(ask, together: float, alike: float, word: str):
    known = {"company": (Shift(together, -1.6, 99), Shift(alike, 1.0, 99))}
    found = ask(context_words.together_is_not_alike, known=known)
    assert (found.word, found.number) == (word, alike)


@pytest.mark.slow
def test_a_small_skip_gram_of_the_runs_text_finds_pmi_in_products_with_contexts(ask):
    found = ask(context_words.together_is_not_alike)
    together = float(found.bound.rpartition(" ")[2])
    assert together > 0.3
    assert found.number < together
