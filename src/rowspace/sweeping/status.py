"""How a sweep stands: a line when something changed, a table at the end, a comparison that keeps up.

Everything is read from the records, which say the same whatever launcher runs the jobs.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rowspace.report.facts import say_seconds
from rowspace.sweeping.grid import Point, own_words
from rowspace.sweeping.records import Record, Records

LOOK_EVERY = 1.0
"""Seconds between two looks at the records of jobs in other processes."""
SHARE = 0.03
"""Of the sweep's time that rewriting the comparison may take."""
ENDED = ("finished", "failed", "interrupted")


@dataclass
class Listed:
    """The jobs of a grid, known beforehand; `records` by study."""

    points: Sequence[Point]
    records: Mapping[Path, Records]

    def __post_init__(self) -> None:
        self._of = {point.id: self.records[point.study] for point in self.points}

    def rows(self) -> list[Record]:
        """A record a point, in the grid's order, as they stand now."""
        return [self.of(point.id).standing(self.of(point.id).read(point.id)) for point in self.points]

    def of(self, id_: str) -> Records:
        return self._of[id_]


@dataclass
class Asked:
    """The jobs that a sweeper asked for so far, known by their records."""

    sweep: str
    records: Records

    def rows(self) -> list[Record]:
        return [self.records.standing(record) for record in self.records.all() if record.sweep == self.sweep]

    def of(self, id_: str) -> Records:
        return self.records


class Board:
    """How jobs stand. `say` gets lines, `refresh` rewrites the comparison of a study's folder."""

    def __init__(self, jobs: Listed | Asked, *, say: Callable[[str], None], refresh: Callable[[Path], object]) -> None:
        self.jobs = jobs
        self._say, self._refresh = say, refresh
        self._began = time.monotonic()
        self._spent = self._last = 0.0
        rows = jobs.rows()
        self._before = {record.id: record.status for record in rows}
        self._to_run = sum(record.status == "left" for record in rows)

    def hear(self, record: Record) -> None:
        """A job of this process starts (its record has not ended), or has ended."""
        if record.status in ENDED and record.ended is not None and self._before.get(record.id) != record.status:
            self.look()
            return
        rows = self.jobs.rows()
        own = dict(zip([row.id for row in rows], own_words([row.overrides for row in rows])[0], strict=True))
        self._say(f"{self.line(rows)}: {own.get(record.id) or ' '.join(record.overrides)}")

    def look(self, *, aloud: bool = False) -> None:
        """Say what changed since the last look, and let the comparison follow, as far as its share of time allows."""
        rows = self.jobs.rows()
        changed = [record for record in rows if self._before.get(record.id, "left") != record.status]
        self._before = {record.id: record.status for record in rows}
        for record in changed:
            if record.status == "failed":
                self._say(f"failed: {' '.join(record.overrides)}\n  {record.error}")
        if aloud and changed:
            self._say(self.line(rows))
        ended = [record for record in changed if record.status == "finished" and record.folder is not None]
        if ended and self._spent + self._last <= SHARE * (time.monotonic() - self._began):
            self._spent += self.refresh(ended)

    def refresh(self, rows: Sequence[Record]) -> float:
        """Rewrite the comparisons of these jobs' studies; seconds that it took."""
        began = time.monotonic()
        for study in sorted({self.jobs.of(record.id).study for record in rows if record.folder is not None}):
            self._refresh(study)
        self._last = time.monotonic() - began
        return self._last

    def line(self, rows: Sequence[Record]) -> str:
        """Jobs by state and the time left, from what those of this sweep took."""
        counts = Counter(record.status for record in rows)
        states = ("finished", "running", "failed", "interrupted", "left")
        told = [f"{counts[state]} {state}" for state in states if counts[state] or state in ("finished", "left")]
        waiting = counts["left"] + counts["running"]
        ended = self._to_run - waiting
        if ended > 0 and waiting:
            told.append(f"about {say_seconds((time.monotonic() - self._began) / ended * waiting)} to go")
        return f"sweep of {len(rows)}: {', '.join(told)}"

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Look from a thread while jobs run in other processes."""
        stop = threading.Event()

        def look() -> None:
            while not stop.wait(LOOK_EVERY):
                self.look(aloud=True)

        thread = threading.Thread(target=look, name="sweep", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
            self.look(aloud=True)


def table(rows: Sequence[Record], records: Callable[[Record], Records]) -> list[str]:
    """One line a job: number, how it stands, seconds, test (or val) bits per byte, and what sets it apart.

    Below stand what all have in common, and for each failure its sentence and the file with its traceback.
    """
    of = "test/bpb" if any(row.test is not None for row in rows) else "value"
    own, alike = own_words([row.overrides for row in rows])
    lines = [f"job  status      seconds  {of:<10} overrides"]
    for number, (row, words) in enumerate(zip(rows, own, strict=True)):
        value = row.test if of == "test/bpb" else row.value
        shown = "-" if value is None else f"{value:.5g}"
        seconds = "-" if row.seconds is None else f"{row.seconds:.1f}"
        lines.append(f"{number:<4} {row.status:<11} {seconds:<8} {shown:<10} {words}")
    lines += [f"all: {alike}"] if alike else []
    for number, row in enumerate(rows):
        if row.status == "finished" and row.value is None and row.reason:
            lines.append(f"{number}: no bits per byte: {row.reason}")
        if row.status in ("failed", "interrupted") and row.error:
            where = records(row)
            trace = f" (traceback: {_relative(where.study / row.traceback)})" if row.traceback else ""
            lines.append(f"{number}: {' '.join(row.error.split())}{trace}")
        if row.status == "running":
            lines.append(f"{number}: still runs on {row.host}, process {row.pid}")
    return lines


def _relative(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
