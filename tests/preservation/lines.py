"""Lines of the matrix by hand, and a whole record."""

from __future__ import annotations

from typing import Any

from rowspace.answers import Score
from rowspace.preservation.base import Line, Matrix, missing
from rowspace.preservation.columns import ORDER, SENSE, TESTS
from rowspace.preservation.export import record

UNITS = {"share": (0.5, 0.1, 0.2), "percentile": (80.0, 45.0, 55.0), "correlation": (0.5, -0.1, 0.1)}
"""Unit -> a value beyond chance, and where chance falls."""


def score(test: Any, value: float | None = None, *, learned: bool = True) -> Score:
    """A cell: beyond chance, in the middle of it, or of this value."""
    if test is ORDER:
        found = (0.3 if learned else 0.0) if value is None else value
        return Score(test.metric, test.question, found, 0.0, 0.0, 1e-5, 100, 100)
    above, low, high = UNITS[test.unit]
    found = (above if learned else (low + high) / 2) if value is None else value
    return Score(test.metric, test.question, found, (low + high) / 2, low, high, 40, 50)


def line(key: str, *learned: Any, kind: str = "table", gone: dict[Any, str] | None = None, **more: Any) -> Line:
    """A rung beyond chance in the tests `learned`, at chance in the others; `gone` cannot be asked, for a reason."""
    values = more.pop("values", {})
    scores = {
        test.key: missing(test, (gone or {})[test])
        if test in (gone or {})
        else score(test, values.get(test), learned=test in learned)
        for test in TESTS
    }
    about = {"label": key, "place": "Part 1, 0", "adds": "something", "option": key, "shape": (10, 4)} | more
    return Line(key=key, kind=kind, scores=scores, **about)  # type: ignore[arg-type]


def states(layer: int, *learned: Any, last: bool = False, **more: Any) -> Line:
    """A layer of a run."""
    about = {"run": "r", "body": "decoder", "position": "rope", "option": "states", "untrained": 0.1 * layer}
    return line(f"layer{layer}", *learned, kind="states", layer=layer, last=last, **{**about, **more})


def matrix(*lines: Line) -> Matrix:
    """With what a record says of its text."""
    about: dict[str, Any] = {
        "hash": "ab" * 32,
        "command": "rowspace ladder",
        "settings": {},
        "data": {"name": "glosses", "sha256": "cd" * 32, "attribution": "", "notes": ["a note"]},
        "tokenizer": {"name": "bpe300", "sha256": "ef" * 32, "V": 300},
        "seen": 290,
        "runs": [{"name": "r", "path": "outputs/r", "step": 900}],
        "exchanged": [["the cat sat", "the sat cat"]],
        "seconds": {"one_hot": {"fitted": 0.1, "measured": 0.2}},
        "versions": {"rowspace": "0.1.0"},
    }
    about["data"] |= {"tokens": 1000, "documents": 50, "bytes": 4000}
    return Matrix(lines, TESTS, about)


def recorded(*lines: Line) -> dict[str, Any]:
    """As matrix.json has it."""
    return record(matrix(*(lines or (line("one_hot", TESTS[0]), states(1, ORDER, SENSE, last=True)))))
