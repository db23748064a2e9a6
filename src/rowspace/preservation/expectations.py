"""What the chapters say of each test, held against the cells: it is so here, it is not, or nothing here can say.

Statements are ours, facts the chapters'. A word of three, and the numbers behind it; a test of one text and one seed
proves no statement for other texts. "Beyond chance": what a table that knows nothing reaches once in a thousand times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rowspace.preservation.base import Column, Line, Matrix, say
from rowspace.preservation.columns import (
    CONTEXT,
    FREQUENCY,
    IDENTITY,
    OFFSET,
    ORDER,
    SENSE,
    WORDS,
)
from rowspace.table import Missing

Word = Literal["so here", "not so here", "not asked"]
Found = tuple[Word, str]
Rule = Callable[[Sequence[Line]], Found]
NO_LINE = "no such rung is in this ladder"
RECOVERED = 0.999
"""Share of tokens from which identity counts as kept: a few tokens of equal counts are no loss of it."""


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
    parts = []
    for column, said in FIRSTS:
        first = next((line for line in matrix.lines if line.scores[column.key].standing == "learned"), None)
        parts.append(f"{said} with {first.label}" if first else f"{said} with none of them")
    return f"Of {len(matrix.lines)} rungs: {', '.join(parts[:-1])}, and {parts[-1]}."


FIRSTS = (
    (IDENTITY, "identity is there"),
    (FREQUENCY, "frequency"),
    (CONTEXT, "likeness of company"),
    (WORDS, "words that belong together"),
    (ORDER, "order"),
    (SENSE, "sense"),
)


# ------------------------------------------------------------------------------------------------------- rules
def beyond_chance(column: Column, *names: str, kind: str | None = None) -> Rule:
    """All rungs of these names (keys of options, "" for all of a kind) are beyond chance."""

    def rule(lines: Sequence[Line]) -> Found:
        asked = _asked(lines, column, names, kind)
        wrong = [line for line in asked if line.scores[column.key].standing != "learned"]
        return _told(asked, wrong, column, "beyond chance", "not beyond chance")

    return rule


def somewhere(column: Column) -> Rule:
    """One rung at least is beyond chance."""

    def rule(lines: Sequence[Line]) -> Found:
        asked = _asked(lines, column, (), None)
        right = [line for line in asked if line.scores[column.key].standing == "learned"]
        if not right:
            return _told(asked, asked, column, "beyond chance", "not beyond chance")
        said = ", ".join(f"{line.label} {_value(line, column)}" for line in right[:6])
        return "so here", f"{len(right)} of {len(asked)} beyond chance: {said}"

    return rule


def at_chance(columns: Sequence[Column], *names: str) -> Rule:
    """No test of these is beyond chance for these rungs."""

    def rule(lines: Sequence[Line]) -> Found:
        held = [line for line in lines if _is(line, names, "table")]
        if not held:
            return "not asked", NO_LINE
        beyond = [(line, one) for line in held for one in columns if line.scores[one.key].standing == "learned"]
        if beyond:
            said = "; ".join(f"{one.label} of {line.label} is {_value(line, one)}" for line, one in beyond)
            return "not so here", f"beyond chance: {said}"
        known = [one for one in columns if not isinstance(held[0].scores[one.key].value, Missing)]
        said = ", ".join(f"{one.label} {_value(held[0], one)}" for one in known)
        left = [one.label for one in columns if one not in known]
        return "so here", said + (f"; {', '.join(left)}: cannot be asked, all rows are equally close" if left else "")

    return rule


def recovered(*names: str, kind: str | None = None) -> Rule:
    """Nearly every token is told from its vector."""

    def rule(lines: Sequence[Line]) -> Found:
        asked = _asked(lines, IDENTITY, names, kind)
        wrong = [line for line in asked if _number(line, IDENTITY) < RECOVERED]
        return _told(asked, wrong, IDENTITY, f"at least {100 * RECOVERED:.1f} %", f"below {100 * RECOVERED:.1f} %")

    return rule


def ahead(column: Column, more: str, less: str) -> Rule:
    """The first of the rungs `more` is ahead of the first of `less`."""

    def rule(lines: Sequence[Line]) -> Found:
        one, other = (next(iter(_asked(lines, column, (name,), None)), None) for name in (more, less))
        if one is None or other is None:
            return "not asked", NO_LINE
        said = f"{one.label} {_value(one, column)}, {other.label} {_value(other, column)}"
        return ("so here" if _number(one, column) > _number(other, column) else "not so here"), said

    return rule


def bags_are_blind(lines: Sequence[Line]) -> Found:
    """Every table, counted or learned, scores 0 on order, in every bit."""
    asked = [line for line in _asked(lines, ORDER, (), None) if line.kind != "states"]
    wrong = [line for line in asked if _number(line, ORDER) != 0.0]
    return _told(asked, wrong, ORDER, "exactly 0", "not exactly 0")


def position_is_added(lines: Sequence[Line]) -> Found:
    """At layer 0 order is there where a position is added, and exactly not where it is not."""
    first = [line for line in _asked(lines, ORDER, (), "states") if line.layer == 0]
    wrong = [line for line in first if (_number(line, ORDER) > 0) != line.adds.startswith("where")]
    return _told(first, wrong, ORDER, "as its position scheme says", "other than its position scheme says")


def context_is_mixed(lines: Sequence[Line]) -> Found:
    """Beyond layer 0 the order of the words is in the states."""
    later = [line for line in _asked(lines, ORDER, (), "states") if line.layer]
    wrong = [line for line in later if line.scores[ORDER.key].standing != "learned"]
    return _told(later, wrong, ORDER, "beyond rounding", "within rounding")


def tables_have_one_sense(lines: Sequence[Line]) -> Found:
    """Every table is at chance, exactly."""
    asked = [line for line in _asked(lines, SENSE, (), None) if line.kind != "states"]
    wrong = [line for line in asked if line.scores[SENSE.key].standing != "chance"]
    return _told(asked, wrong, SENSE, "at chance", "not at chance")


def last_states(column: Column) -> Rule:
    """The states that the head reads are beyond chance."""

    def rule(lines: Sequence[Line]) -> Found:
        asked = [line for line in _asked(lines, column, (), "states") if line.last and line.layer]
        wrong = [line for line in asked if line.scores[column.key].standing != "learned"]
        return _told(asked, wrong, column, "beyond chance", "not beyond chance")

    return rule


def identity_fades(lines: Sequence[Line]) -> Found:
    """The last states tell the token less surely than the first."""
    states = _asked(lines, IDENTITY, (), "states")
    runs = {line.run: (line, next((x for x in states if x.run == line.run and x.last), line)) for line in states[::-1]}
    pairs = [(first, last) for first, last in runs.values() if last is not first]
    if not pairs:
        return "not asked", NO_LINE
    said = "; ".join(f"{b.label} {_value(b, IDENTITY)} after {_value(a, IDENTITY)} at layer 0" for a, b in pairs)
    fades = all(_number(last, IDENTITY) < _number(first, IDENTITY) for first, last in pairs)
    return ("so here" if fades else "not so here"), said


# ---------------------------------------------------------------------------------------------------- reading
def _is(line: Line, names: Sequence[str], kind: str | None) -> bool:
    return (kind is None or line.kind == kind) and (not names or line.option in names or line.key in names)


def _asked(lines: Sequence[Line], column: Column, names: Sequence[str], kind: str | None) -> list[Line]:
    """Lines of these names and this kind that the test could be put to."""
    return [one for one in lines if _is(one, names, kind) and not isinstance(one.scores[column.key].value, Missing)]


def _told(asked: Sequence[Line], wrong: Sequence[Line], column: Column, right: str, otherwise: str) -> Found:
    if not asked:
        return "not asked", NO_LINE
    shown = wrong or asked
    said = ", ".join(f"{line.label} {_value(line, column)}" for line in shown[:6])
    more = f", and {len(shown) - 6} more" if len(shown) > 6 else ""
    many = f"{len(shown)} of {len(asked)}" if wrong else "all" if len(asked) > 1 else "it"
    verb = "is" if len(shown) == 1 else "are"
    return ("not so here" if wrong else "so here"), f"{many} {verb} {otherwise if wrong else right}: {said}{more}"


def _number(line: Line, column: Column) -> float:
    value = line.scores[column.key].value
    return 0.0 if isinstance(value, Missing) else value


def _value(line: Line, column: Column) -> str:
    score = line.scores[column.key]
    beside = "" if isinstance(score.chance, Missing) else f" (chance {say(score.chance, column.unit)})"
    return say(score.value, column.unit) + (beside if column.unit != "distance" else "")


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
