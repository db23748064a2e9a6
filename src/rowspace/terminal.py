"""What a person sees while a command runs: a bar in a terminal, plain lines where there is none.

Progress and notes go to stderr, results to stdout, so that a pipe gets results only. Text of a corpus is shown with
its control characters made visible: it may hold escape sequences.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TextIO

FIRST_AFTER = 2.0
"""Seconds after which something that still runs says so."""
LINES_EVERY = 15.0
"""Seconds between lines where there is no terminal."""

NARROW = 50
"""Columns of a terminal below which a table is lines of `label: value`."""

Mode = Literal["auto", "bar", "lines", "none"]


def visible(text: str) -> str:
    """The text with characters that could steer a terminal escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def put(text: str, stream: TextIO) -> None:
    """Print to stdout or stderr. A reader that has left (`| head`) stops no work: what follows goes nowhere."""
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        _silence(stream)


def reader_left(stream: TextIO) -> bool:
    """Whether nobody reads the pipe any more that the stream is; it then leads nowhere, so that nothing fails again."""
    try:
        watched = select.poll()
        watched.register(stream.fileno(), 0)
        left = any(event & (select.POLLERR | select.POLLHUP) for _, event in watched.poll(0))
    except (OSError, ValueError):  # no stream of the system
        return False
    if left:
        _silence(stream)
    return left


def _silence(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


class Terminal:
    """Notes, results and progress. `progress` fits every `progress(label, done, total)` parameter of this project.

    `moved()` is called at each progress, whether it is shown or not; `mask` is what every text goes through, such as
    that of a block list.
    """

    def __init__(self, mode: Mode = "auto") -> None:
        self.mode = mode if mode != "auto" else ("bar" if sys.stderr.isatty() else "lines")
        self.log: Path | None = None
        self.mask: Callable[[str], str] = str
        self.moved: Callable[[], None] = lambda: None
        self._label: str | None = None
        self._began = 0.0
        self._said = 0.0
        self._from = 0
        self._bar: Any = None
        self._task: Any = None

    def say(self, text: str) -> None:
        """A note about the run: on stderr, and with its time in the log file once there is one."""
        text = self._visible(text)
        if self.mode != "none":
            put(text, sys.stderr)
        if self.log is not None:
            stamp = time.strftime("%Y-%m-%d %H:%M:%S")
            with contextlib.suppress(OSError), open(self.log, "a", encoding="utf-8") as file:
                file.write(f"{stamp} {text}\n")

    def show(self, text: str, *, exact: bool = False) -> None:
        """A result, on stdout; may have several lines. `exact`: a path or a command, which no mask may touch."""
        self.clear()
        put("\n".join((visible if exact else self._visible)(line) for line in text.split("\n")), sys.stdout)

    def table(self, title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A result as a table on stdout: drawn in a terminal, aligned text elsewhere. Cells are texts."""
        self.clear()
        if not sys.stdout.isatty():
            lines = [[self._visible(cell) for cell in line] for line in (head, *rows)]
            widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
            text = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
            put("\n".join([self._visible(title), *text, ""]), sys.stdout)
            return
        if shutil.get_terminal_size().columns < NARROW:
            put("\n".join(map(self._visible, _as_lines(title, head, rows))), sys.stdout)
            return
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        drawn = Table(title=Text(self._visible(title)))
        for cell in head:
            drawn.add_column(Text(self._visible(cell)))
        for row in rows:
            drawn.add_row(*(Text(self._visible(cell)) for cell in row))
        Console().print(drawn)

    def _visible(self, text: str) -> str:
        return visible(self.mask(text))

    def progress(self, label: str, done: int, total: int, text: str = "") -> None:
        """`done` of `total` of what `label` names; `text` says how it stands."""
        self.moved()
        now = time.monotonic()
        if label != self._label:
            self.clear()
            self._label, self._began, self._said, self._from = label, now, now + FIRST_AFTER - LINES_EVERY, done
        if self.mode == "bar":
            self._draw(label, done, total, text)
        elif self.mode == "lines" and now - self._said >= LINES_EVERY:
            self._said = now
            self.say(self._line(label, done, total, text, now - self._began))
        if done >= total:
            self.clear()

    def clear(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
        self._bar = self._task = self._label = None

    def _line(self, label: str, done: int, total: int, text: str, elapsed: float) -> str:
        share = done / total if total else 1.0
        moved = done - self._from
        left = f"{_clock(elapsed * (total - done) / moved)} left" if moved > 0 else ""
        return ", ".join(part for part in (f"{label}: {done:,} of {total:,} ({share:.0%})", text, left) if part)

    def _draw(self, label: str, done: int, total: int, text: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f}%"),
            )
            rest = (TextColumn("{task.fields[text]}", markup=False), TimeRemainingColumn(), TextColumn("left"))
            console = Console(file=sys.stderr, force_terminal=True)
            self._bar = Progress(*columns, *rest, console=console, transient=True, refresh_per_second=2)
            self._task = self._bar.add_task(visible(label), total=total, completed=done, text=text)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total, text=text)


def _as_lines(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table for a narrow terminal: the first cell of each row, and below it the others by their column."""
    lines = [title]
    for first, *rest in rows:
        lines += [
            first,
            *(f"  {name}: {cell}" if name else f"  {cell}" for name, cell in zip(head[1:], rest, strict=False)),
        ]
    return [*lines, ""]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
