"""What the chapters say of each test, held against the cells: it is so here, it is not, or nothing here can say.

Statements are ours, facts the chapters'. A test of one text and one seed proves no statement for other texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rowspace.preservation.base import Matrix
from rowspace.preservation.columns import CONTEXT, FREQUENCY, IDENTITY, OFFSET, ORDER, SENSE, WORDS
from rowspace.preservation.rules import (
    Rule,
    Word,
    ahead,
    at_chance,
    bags_are_blind,
    beyond_chance,
    context_is_mixed,
    identity_fades,
    last_states,
    position_is_added,
    recovered,
    somewhere,
    tables_have_one_sense,
)
from rowspace.table import Missing


@dataclass(frozen=True)
class Expectation:
    """One statement: the group of tests, where the chapters make it, and what is found here."""

    group: str
    place: str
    statement: str
    word: Word
    why: str


def find_expectations(matrix: Matrix) -> list[Expectation]:
    """Every statement in the order of the tests."""
    found = []
    for group, place, statement, rule in STATEMENTS:
        word, why = rule(matrix.lines)
        found.append(Expectation(group, place, statement, word, why))
    return found


def say_answer(matrix: Matrix) -> str:
    """In one sentence: from which rung on each test is beyond chance."""
    firsts: dict[str, list[str]] = {}
    for column, said in FIRSTS:
        first = next((line for line in matrix.lines if line.scores[column.key].standing == "learned"), None)
        asked = any(not isinstance(line.scores[column.key].value, Missing) for line in matrix.lines)
        where = f"from {first.label} on" if first else "in no rung" if asked else "in no rung that could be asked"
        firsts.setdefault(where, []).append(said)
    parts = [f"{_listed(said)} {where}" for where, said in firsts.items()]
    return f"Of {len(matrix.lines)} rungs, beyond chance: {'; '.join(parts)}."


def _listed(said: Sequence[str]) -> str:
    return " and ".join([", ".join(said[:-1]), said[-1]]) if len(said) > 1 else said[0]


FIRSTS = (
    (IDENTITY, "identity"),
    (FREQUENCY, "frequency"),
    (CONTEXT, "likeness of company"),
    (WORDS, "words that belong together"),
    (ORDER, "order"),
    (SENSE, "sense"),
)


STATEMENTS: tuple[tuple[str, str, str, Rule], ...] = (
    ("identity", "Part 1, 4", "One-hot vectors tell every token from every other.", recovered("one_hot")),
    ("identity", "Part 1, 3", "A learned table gives every token a row of its own.", recovered(kind="rows")),
    ("identity", "Part 1, 6 to 8", "Counts and what is made of them still tell tokens apart.", recovered(kind="table")),
    ("identity", "Part 1, 12.4", "After the last block a state is no longer merely its row.", identity_fades),
    (
        "frequency",
        "Part 1, 4",
        "One-hot holds identity and nothing else: no frequency, company or meaning.",
        at_chance((FREQUENCY, CONTEXT, WORDS, OFFSET), "one_hot"),
    ),
    ("frequency", "Part 1, 6.1", "Counts hold how frequent a token is.", beyond_chance(FREQUENCY, "counts")),
    (
        "frequency",
        "Part 1, 6.2",
        "IDF takes weight from common words, so frequency is harder to read than from counts.",
        ahead(FREQUENCY, "counts", "tfidf"),
    ),
    (
        "frequency",
        "Part 1, 12.2",
        "Frequency matters in a learned table: its rows show it.",
        beyond_chance(FREQUENCY, kind="rows"),
    ),
    (
        "context similarity",
        "Part 1, 6",
        "Tokens of the same company have like rows as soon as company is counted.",
        beyond_chance(CONTEXT, "counts", "tfidf"),
    ),
    (
        "context similarity",
        "Part 1, 7",
        "SVD brings out structure that raw counts hide.",
        ahead(CONTEXT, "lsa", "counts"),
    ),
    ("context similarity", "Part 1, 8", "Word2Vec learns likeness from company.", beyond_chance(CONTEXT, "word2vec")),
    (
        "context similarity",
        "Part 1, 12.2",
        "Tokens of like contexts get like updates, so a trained E follows company.",
        beyond_chance(CONTEXT, kind="rows"),
    ),
    ("meaning", "Part 1, 5 and 7", "Latent directions bring related words together.", beyond_chance(WORDS, "lsa")),
    ("meaning", "Part 1, 8", "Word2Vec brings related words together.", beyond_chance(WORDS, "word2vec")),
    ("meaning", "Part 1, 11", "Word2Vec is a step beyond SVD in meaning.", ahead(WORDS, "word2vec", "lsa")),
    ("meaning", "Part 1, 12.2", "A trained E brings related words together.", beyond_chance(WORDS, kind="rows")),
    (
        "meaning",
        "Part 1, 5; Lesson 2, 3",
        "King - man + woman leads to queen in some spaces: the offset adds to closeness (no law, says Part 1).",
        somewhere(OFFSET),
    ),
    ("order", "Part 1, 6.1 and 9", "A bag of rows knows nothing of order, nor does any table alone.", bags_are_blind),
    (
        "order",
        "Part 1, 12.3",
        "An added position puts order into layer 0; rotary and bias schemes leave it as it is.",
        position_is_added,
    ),
    ("order", "Part 1, 9, 10 and 12.4", "Recurrence and attention put order into the states.", context_is_mixed),
    ("sense", "Part 1, 1.5 and 7", "A table has one row for all senses of a word.", tables_have_one_sense),
    ("sense", "Part 1, 12.4", "The last states tell the senses of a word apart.", last_states(SENSE)),
)
