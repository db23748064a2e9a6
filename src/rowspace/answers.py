"""Answers: what a probe found, with chance beside it, and how an answer stands on disk.

<folder>/<probe>.json holds the whole answer, so that a page is made from such files alone, and asking one probe again
leaves the answers of the others in place. The rows of each table stand beside it as parquet.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from rowspace.errors import MachineError
from rowspace.runfolder import write_all_atomically
from rowspace.table import Missing

FORMAT = 2
Number = Annotated[float, Field(ge=-1e100, le=1e100)] | None
Count = Annotated[int, Field(ge=0, lt=2**63)]
Standing = Literal["learned", "chance", "below chance", "unknown"]


@dataclass(frozen=True)
class Score:
    """A headline number beside chance.

    `key` is its metric key and `label` says in plain words what was asked. `chance` is what a table that knows nothing
    is expected to get, `low` and `high` where such a table falls 998 times of 1000, on these very questions. Of `asked`
    questions `n` counted: the others had no row, or could not be judged.
    """

    key: str
    label: str
    value: float | Missing
    chance: float | Missing
    low: float | Missing
    high: float | Missing
    n: int
    asked: int
    better: Literal["higher", "lower"] = "higher"

    @property
    def coverage(self) -> float:
        """Share of the questions that counted."""
        return self.n / self.asked if self.asked else 0.0

    @property
    def standing(self) -> Standing:
        """`learned` where chance alone would do as well fewer than once in a thousand times."""
        if isinstance(self.value, Missing) or isinstance(self.low, Missing) or isinstance(self.high, Missing):
            return "unknown"
        if self.low <= self.value <= self.high:
            return "chance"
        above = self.value > self.high
        return "learned" if above == (self.better == "higher") else "below chance"

    def numbers(self) -> dict[str, float | Missing]:
        """The score as metrics: its key, and what stands beside it."""
        beside = {"null": self.chance, "null_low": self.low, "null_high": self.high, "coverage": self.coverage}
        return {self.key: self.value, **{f"{self.key}/{name}": value for name, value in beside.items()}}

    def record(self) -> dict[str, Any]:
        """Plain values for a file; the reason stands where a number is missing."""
        plain: dict[str, Any] = {"key": self.key, "label": self.label, "n": self.n, "asked": self.asked}
        for name in ("value", "chance", "low", "high"):
            value = getattr(self, name)
            plain[name] = None if isinstance(value, Missing) or not math.isfinite(value) else float(value)
        reason = self.value.reason if isinstance(self.value, Missing) else None
        return plain | {"better": self.better, "standing": self.standing, "reason": reason}


@dataclass(frozen=True)
class Shown:
    """A table for people: strings only, the first column names the line.

    A cell that begins with one of ✓ ✗ = ◦ ? is a verdict. A folded table is closed until someone opens it.
    """

    title: str
    head: list[str]
    rows: list[list[str]]
    folded: bool = False


@dataclass(frozen=True, eq=False)
class Findings:
    """What a probe found: its question, one sentence, the scores, tables and figures to look at.

    `rows` are plain rows by the name of their file; `draw()` makes the Plotly figures by name when someone looks;
    `notes` say what was left out and why, `reading` how to read the whole; `numbers` are further metrics by key.
    """

    question: str
    sentence: str
    scores: list[Score]
    rows: Mapping[str, list[dict[str, Any]]]
    shown: list[Shown]
    draw: Callable[[], Mapping[str, Any]]
    reading: str
    notes: list[str] = field(default_factory=list)
    numbers: Mapping[str, float | Missing] = field(default_factory=dict)

    @cached_property
    def figures(self) -> Mapping[str, Any]:
        """The figures, drawn once."""
        return self.draw()

    def all_numbers(self) -> dict[str, float | Missing]:
        """Every metric of the answer."""
        found: dict[str, float | Missing] = dict(self.numbers)
        for score in self.scores:
            found |= score.numbers()
        return found


def write(folder: Path, probe: str, findings: Findings, about: Mapping[str, Any]) -> list[Path]:
    """Write an answer into `folder`; `about` says what was asked of what. Returns the paths.

    All of its files change together: MachineError, and the earlier answer whole, where one cannot be written.
    """
    import pyarrow
    from pyarrow import parquet

    files: dict[Path, bytes] = {}
    for name, rows in findings.rows.items():
        stored = io.BytesIO()
        parquet.write_table(pyarrow.Table.from_pylist(rows), stored)
        files[folder / f"{name}.parquet"] = stored.getvalue()
    answer = {
        "format": FORMAT,
        "probe": probe,
        **about,
        "question": findings.question,
        "sentence": findings.sentence,
        "scores": [score.record() for score in findings.scores],
        "reading": findings.reading,
        "notes": findings.notes,
        "shown": [
            {"title": one.title, "head": one.head, "rows": one.rows, "folded": one.folded} for one in findings.shown
        ],
        "figures": {name: json.loads(figure.to_json()) for name, figure in findings.figures.items()},
    }
    files[folder / f"{probe}.json"] = json.dumps(answer, indent=1, ensure_ascii=False, allow_nan=False).encode(
        "utf-8", "backslashreplace"
    )
    write_all_atomically(files)
    return list(files)


def read(folder: Path, but: Collection[str] = ()) -> list[dict[str, Any]]:
    """Every answer in the folder, by name, without those of the probes in `but`. MachineError names a file that is
    damaged: one that `write` would not have written."""
    return [_read(path) for path in sorted(folder.glob("*.json")) if path.stem not in but]


def _read(path: Path) -> dict[str, Any]:
    try:
        answer = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise MachineError(f"{path} is damaged: {why}; delete it and ask again") from error
    if not isinstance(answer, dict) or answer.get("format") != FORMAT:
        raise MachineError(f"{path} has another format than this version of rowspace reads; delete it and ask again")
    try:
        _STORED.validate_python(answer, strict=True)
    except ValidationError as error:
        flaw = error.errors(include_url=False)[0]
        place, why = ".".join(str(key)[:40] for key in flaw["loc"]), flaw["msg"].replace("Input should", "it should")
        raise MachineError(f"{path} is damaged: {place}: {why}; delete it and ask again") from error
    return answer


class _StoredScore(TypedDict):
    key: str
    label: str
    value: Number
    chance: Number
    low: Number
    high: Number
    n: Count
    asked: Count
    better: Literal["higher", "lower"]
    standing: Standing
    reason: str | None


class _StoredTable(TypedDict):
    title: str
    head: list[str]
    rows: list[Annotated[list[str], Field(min_length=1)]]
    folded: NotRequired[bool]


def _no_wider_than_its_head(table: _StoredTable) -> _StoredTable:
    if any(len(row) > len(table["head"]) for row in table["rows"]):
        raise ValueError("a row has more cells than the table has columns")
    return table


class _Title(TypedDict, total=False):
    text: str


class _Words(TypedDict, total=False):
    caption: str
    alt: str


class _Layout(TypedDict, total=False):
    title: _Title
    meta: _Words


class _Figure(TypedDict):
    layout: _Layout


class _Asked(TypedDict):
    path: str
    table: NotRequired[str | None]
    weights: NotRequired[str | None]
    status: NotRequired[str | None]
    step: NotRequired[Count | None]


class _Stored(TypedDict):
    """What a page reads of an answer."""

    probe: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{1,80}$")]
    question: str
    sentence: str
    scores: list[_StoredScore]
    reading: str
    notes: list[str]
    shown: list[Annotated[_StoredTable, AfterValidator(_no_wider_than_its_head)]]
    figures: dict[str, _Figure]
    command: NotRequired[str | None]
    runs: NotRequired[list[_Asked]]
    settings: NotRequired[dict[str, Any]]


_STORED = TypeAdapter(_Stored)
