"""The preservation matrix: rungs down, tests across, a Score in every cell. Imports no torch.

A rung is a way to turn a token into a vector: a table that counting or training made, the rows of a trained run, or the
states of one of its layers. A test asks whether a vector still holds one thing: which token it is, how frequent, what
company it keeps, what it means, where it stands, in which sense. The same text, tokens and questions for all rungs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rowspace.answers import Score
from rowspace.table import Missing

Kind = Literal["table", "rows", "states"]
Unit = Literal["share", "percentile", "correlation", "distance"]


@dataclass(frozen=True)
class Column:
    """One test. `decoder` says how its cells are made, and `chance` where their chance is from."""

    key: str
    metric: str
    """The key of its score."""
    label: str
    group: str
    """Which of the chapters' questions it belongs to."""
    unit: Unit
    question: str
    decoder: str
    chance: str


@dataclass(frozen=True, eq=False)
class Line:
    """One rung, scored. `key` names its files, `place` is where the chapters introduce it, `adds` what it has that the
    rungs before lack. Of a trained run: its name, body and position scheme, and the layer of states."""

    key: str
    label: str
    place: str
    adds: str
    kind: Kind
    scores: Mapping[str, Score]
    """By the key of the test, all of them."""
    option: str = ""
    """The name of the rung's option, as in one_hot; "E", "U" or "states" of a run."""
    shape: tuple[int, int] = (0, 0)
    run: str | None = None
    body: str | None = None
    position: str | None = None
    layer: int | None = None
    last: bool = False
    """The states that the head reads."""
    untrained: float | None = None
    """What the order test gives before the first step of training."""
    source: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Matrix:
    """All of it. `about` are plain facts of the text, the tokenizer, the questions and the versions."""

    lines: Sequence[Line]
    tests: Sequence[Column]
    about: Mapping[str, Any]


def missing(test: Column, reason: str, *, n: int = 0, asked: int = 0) -> Score:
    """The cell that cannot exist, and why."""
    none = Missing(reason)
    return Score(test.metric, test.question, none, none, none, none, n, asked)


def say(value: float | Missing | None, unit: Unit) -> str:
    """A number of a cell: shares in percent, percentiles with one digit, correlations with a sign. Exactly 0 is 0."""
    if value is None or isinstance(value, Missing):
        return "–"
    if unit == "share":
        return f"{100 * value:.1f} %"
    if unit == "percentile":
        return f"{value:.1f}"
    if unit == "distance":
        return "0" if value == 0 else f"{value:.2f}" if value >= 0.005 else f"{value:.0e}"
    return "0" if value == 0 else f"{value:+.2f}".replace("-0.00", "0.00").replace("+0.00", "0.00")
