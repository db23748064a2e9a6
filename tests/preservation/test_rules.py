"""Rules turn with the cells: so here, not so here, not asked, and the numbers stand behind the word."""

from __future__ import annotations

import pytest

from rowspace.preservation import rules
from rowspace.preservation.columns import CONTEXT, FREQUENCY, IDENTITY, ORDER, SENSE, WORDS
from tests.preservation.lines import line, states


@pytest.mark.parametrize(
    ("rule", "right", "wrong"),
    [
        (
            rules.beyond_chance(FREQUENCY, "counts"),
            [line("counts", FREQUENCY), line("one_hot")],
            [line("counts"), line("one_hot", FREQUENCY)],
        ),
        (
            rules.beyond_chance(WORDS, kind="rows"),
            [line("E", WORDS, kind="rows")],
            [line("E", kind="rows"), line("x", WORDS)],
        ),
        (rules.at_chance((FREQUENCY, WORDS), "one_hot"), [line("one_hot", IDENTITY)], [line("one_hot", WORDS)]),
        (rules.somewhere(CONTEXT), [line("a"), line("b", CONTEXT)], [line("a"), line("b")]),
        (
            rules.recovered("one_hot"),
            [line("one_hot", values={IDENTITY: 1.0})],
            [line("one_hot", values={IDENTITY: 0.9})],
        ),
        (
            rules.ahead(WORDS, "lsa", "counts"),
            [line("counts", values={WORDS: 60.0}), line("lsa", values={WORDS: 61.0})],
            [line("counts", values={WORDS: 61.0}), line("lsa", values={WORDS: 61.0})],
        ),
        (rules.bags_are_blind, [line("a"), line("E", kind="rows")], [line("a", values={ORDER: 1e-12})]),
        (
            rules.position_is_added,
            [states(0, adds="nothing yet"), states(0, ORDER, adds="where the token stands")],
            [states(0, ORDER, adds="nothing yet")],
        ),
        (rules.context_is_mixed, [states(0), states(1, ORDER)], [states(0), states(1, ORDER), states(2)]),
        (rules.tables_have_one_sense, [line("a"), states(1, SENSE)], [line("a", SENSE)]),
        (rules.last_states(SENSE), [states(1), states(2, SENSE, last=True)], [states(1, SENSE), states(2, last=True)]),
        (
            rules.identity_fades,
            [states(0, values={IDENTITY: 1.0}), states(1, values={IDENTITY: 0.4}, last=True)],
            [states(0, values={IDENTITY: 0.4}), states(1, values={IDENTITY: 0.4}, last=True)],
        ),
    ],
)
def test_a_rule_turns_with_the_cells(rule, right, wrong):
    assert rule(right)[0] == "so here"
    assert rule(wrong)[0] == "not so here"
    assert rule([])[0] == "not asked"
    assert any(character.isdigit() for character in rule(right)[1] + rule(wrong)[1])


def test_a_cell_that_cannot_exist_is_not_held_against_a_statement():
    blind = line("counts", gone={FREQUENCY: "nobody counted"})
    assert rules.beyond_chance(FREQUENCY, "counts")([blind]) == ("not asked", rules.TOO_FEW)
    assert rules.beyond_chance(FREQUENCY, "lsa")([blind]) == ("not asked", rules.NO_LINE)
    said = rules.at_chance((FREQUENCY, WORDS), "one_hot")([line("one_hot", gone={FREQUENCY: "all equal"})])
    assert said[0] == "so here"
    assert "cannot be asked" in said[1]


def test_long_lists_are_cut_and_counted():
    word, why = rules.somewhere(WORDS)([line(f"rung{number}", WORDS) for number in range(9)])
    assert (word, why.count("rung")) == ("so here", 6)
    word, why = rules.beyond_chance(WORDS)([line(f"rung{number}") for number in range(9)])
    assert "9 of 9 are not beyond chance" in why
    assert "and 3 more" in why
