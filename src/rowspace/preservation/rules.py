"""Rules by which a statement of the chapters is held against the matrix: a word, and the numbers behind it.

"Beyond chance" is what a table that knows nothing reaches once in a thousand times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from rowspace.preservation.base import Column, Line, say
from rowspace.preservation.columns import IDENTITY, ORDER, SENSE
from rowspace.table import Missing

Word = Literal["so here", "not so here", "not asked"]
Found = tuple[Word, str]
Rule = Callable[[Sequence[Line]], Found]
NO_LINE = "no such rung is in this ladder"
TOO_FEW = "the rung is there, and too few of the questions have their words in this vocabulary"
RECOVERED = 0.999
"""Share of tokens from which identity counts as kept: a few tokens of equal counts are no loss of it."""


def beyond_chance(column: Column, *names: str, kind: str | None = None) -> Rule:
    """All rungs of these names (keys of options, "" for all of a kind) are beyond chance."""

    def rule(lines: Sequence[Line]) -> Found:
        asked = _asked(lines, column, names, kind)
        wrong = [line for line in asked if line.scores[column.key].standing != "learned"]
        return _told(asked, wrong, column, "beyond chance", "not beyond chance") if asked else _none(lines, names, kind)

    return rule


def somewhere(column: Column) -> Rule:
    """One rung at least is beyond chance."""

    def rule(lines: Sequence[Line]) -> Found:
        asked = _asked(lines, column, (), None)
        right = [line for line in asked if line.scores[column.key].standing == "learned"]
        if not asked:
            return _none(lines, (), None)
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
        right, otherwise = f"at least {100 * RECOVERED:.1f} %", f"below {100 * RECOVERED:.1f} %"
        return _told(asked, wrong, IDENTITY, right, otherwise) if asked else _none(lines, names, kind)

    return rule


def ahead(column: Column, more: str, less: str) -> Rule:
    """The first of the rungs `more` is ahead of the first of `less`."""

    def rule(lines: Sequence[Line]) -> Found:
        one, other = (next(iter(_asked(lines, column, (name,), None)), None) for name in (more, less))
        if one is None or other is None:
            return _none(lines, (more if one is None else less,), None)
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


def _is(line: Line, names: Sequence[str], kind: str | None) -> bool:
    return (kind is None or line.kind == kind) and (not names or line.option in names or line.key in names)


def _asked(lines: Sequence[Line], column: Column, names: Sequence[str], kind: str | None) -> list[Line]:
    """Lines of these names and this kind that the test could be put to."""
    return [one for one in lines if _is(one, names, kind) and not isinstance(one.scores[column.key].value, Missing)]


def _none(lines: Sequence[Line], names: Sequence[str], kind: str | None) -> Found:
    """Why no line could be asked: there is none, or the test could not be put to it."""
    return "not asked", TOO_FEW if any(_is(one, names, kind) for one in lines) else NO_LINE


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
