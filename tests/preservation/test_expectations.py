"""What the chapters say: every statement has a place, a word and numbers, and the answer names the first rungs."""

from __future__ import annotations

from rowspace.preservation.columns import GROUPS, IDENTITY, ORDER, SENSE, TESTS
from rowspace.preservation.expectations import find_expectations, say_answer
from tests.preservation.lines import line, matrix, states


def chapters():
    """A ladder as the chapters tell it."""
    one_hot = line("one_hot", IDENTITY, values={IDENTITY: 1.0})
    held = [test for test in TESTS if test not in (ORDER, SENSE)]
    full = {IDENTITY: 1.0}
    tables = [line(name, *held, values=full) for name in ("counts", "tfidf", "lsa", "word2vec")]
    rows = line("E", *held, kind="rows", values=full, run="r", option="E")
    h0 = states(0, *held, values=full, adds="nothing yet")
    return matrix(one_hot, *tables, rows, h0, states(1, *held, ORDER, SENSE, last=True))


def test_every_question_of_the_chapters_has_statements_with_a_place_and_a_word():
    found = find_expectations(chapters())
    assert {one.group for one in found} == set(GROUPS)
    assert all(one.place.startswith("Part 1") and one.statement.endswith(".") and one.why for one in found)
    assert sum(one.word == "so here" for one in found) >= len(found) - 3  # equal rungs are not ahead of each other
    assert "not asked" not in {one.word for one in found}


def test_a_ladder_without_runs_cannot_say_what_training_brings():
    found = find_expectations(matrix(line("one_hot", IDENTITY, values={IDENTITY: 1.0})))
    said = {one.statement: one.word for one in found}
    assert said["Recurrence and attention put order into the states."] == "not asked"
    assert said["One-hot vectors tell every token from every other."] == "so here"


def test_the_answer_names_the_first_rung_beyond_chance():
    held = "identity from one_hot on; frequency, likeness of company and words that belong together from counts on"
    assert say_answer(chapters()) == f"Of 8 rungs, beyond chance: {held}; order and sense from layer1 on."
    assert say_answer(matrix(line("x"))).endswith("order and sense in no rung.")
    gone = {ORDER: "no sentence", SENSE: "no sentence"}
    assert say_answer(matrix(line("x", gone=gone))).endswith("order and sense in no rung that could be asked.")
