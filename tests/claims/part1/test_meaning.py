"""Pairs, clusters and analogies: each verdict with rows or answers that turn it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rowspace.claims.part1 import meaning
from rowspace.probing.base import Tables
from rowspace.table import TokenTable
from tests.claims.part1.conftest import answered

SCORED = [
    (meaning.words_that_belong_together, "pairs", "probe/pairs/percentile"),
    (meaning.related_tokens_cluster, "neighbours", "probe/neighbours/hit_rate_cosine"),
]


@pytest.mark.parametrize(("claimed", "probe", "key"), SCORED)
@pytest.mark.parametrize(("value", "word"), [(0.9, "held"), (0.5, "failed"), (0.1, "failed")])
def test_what_is_near_must_be_nearer_than_by_chance(ask, claimed, probe: str, key: str, value: float, word: str):
    assert ask(claimed, known=answered(probe, key, value)).word == word


@pytest.mark.parametrize(
    ("percentiles", "word"),
    [((99, 98), "held"), ((99, 50), "conditional"), ((30, 50), "failed"), ((None, None), "not asked")],
)
def test_the_chapters_own_pairs_are_looked_up_by_name(ask, percentiles: tuple[Any, ...], word: str):
    rows = [
        {"one": one, "other": other, "percentile": percentile, "verdict": "success" if (percentile or 0) > 95 else "x"}
        for (one, other), percentile in zip((("cat", "kitten"), ("dog", "puppy")), percentiles, strict=True)
    ]
    rows.append({"one": "north", "other": "south", "percentile": 10.0, "verdict": "failure"})
    assert ask(meaning.the_chapters_pairs, known=answered("pairs", rows={"pairs": rows})).word == word


WORDS = ["man", "king", "woman", "queen"]


def crowned(ask: Any, plant: str) -> Any:
    """A verdict on king and queen, in a table of random rows with some that are planted."""
    tokens = [*WORDS, *(f"other{n}" for n in range(60))]
    rows = np.random.default_rng(0).standard_normal((64, 24)).astype(np.float32)
    man, king, woman, _ = rows[:4]
    exact = king - man + woman
    rows[3] = {"queen": exact, "near woman": exact + 3 * woman, "nothing": rows[3]}[plant]
    if plant == "near woman":
        rows[1] = king + 2 * woman - man
    tables = Tables({"E": lambda: TokenTable(rows, tokens, np.arange(64)[::-1] + 1)})
    encode = {f" {word}": [place] for place, word in enumerate(WORDS)}
    return ask(meaning.king_and_queen, tables=tables, encode=lambda text: encode.get(text, [50, 51]))


def test_queen_is_found_where_the_offset_leads_there_and_nowhere_else(ask):
    held, failed = crowned(ask, "queen"), crowned(ask, "nothing")
    assert (held.word, held.number) == ("held", 1.0)
    assert (failed.word, failed.number) == ("failed", 0.0)
    assert meaning.king_and_queen.by_design


def test_queen_that_is_found_only_because_the_question_is_left_out_is_conditional(ask):
    assert crowned(ask, "near woman").word == "conditional"


def test_words_that_are_no_tokens_are_not_asked(ask):
    found = ask(meaning.king_and_queen)
    assert found.word == "not asked"
    assert "no single token" in found.why


@pytest.mark.parametrize(("gain", "word"), [(0.9, "held"), (0.5, "failed")])
def test_the_offset_must_add_to_closeness(ask, gain: float, word: str):
    numbers = {"probe/analogies/accuracy": 0.5, "probe/analogies/accuracy_unrestricted": 0.0}
    known = answered("analogies", "probe/analogies/gain", gain, numbers=numbers)
    assert ask(meaning.analogies_are_directions, known=known).word == word


@pytest.mark.parametrize(("of", "word"), [(20, "held"), (10, "failed")])
def test_a_vocabulary_with_a_row_for_every_word_turns_the_verdict(ask, of: int, word: str):
    known = answered("pairs", "probe/pairs/percentile", asked=of)
    assert ask(meaning.words_of_several_pieces, known=known).word == word


@pytest.mark.parametrize(("overlap", "word"), [(0.2, "held"), (1.0, "failed")])
def test_states_with_the_tables_own_neighbours_turn_the_verdict(ask, overlap: float, word: str):
    numbers = {"probe/contextual/overlap": overlap, "probe/contextual/overlap/null": 0.01}
    known = answered("contextual", numbers=numbers)
    assert ask(meaning.raw_neighbours_are_not_the_final_ones, known=known).word == word
