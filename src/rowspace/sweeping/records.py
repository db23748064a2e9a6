"""A file a job: how it stands, written by whoever runs it, so that a table is the same from every launcher.

`<study>/sweep/<id>.json` lies beside the run folders; the id is of the typed configuration, so that a wider grid,
another order or another launcher finds the same files. What a finished record says comes from the run folder, whoever
writes it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from rowspace import claim
from rowspace.compare.history import number
from rowspace.config import identity
from rowspace.errors import ConfigError, MachineError, in_one_sentence
from rowspace.registry import Option
from rowspace.runfolder import RunFolder, write_atomically

STATES = ("left", "running", "finished", "failed", "interrupted")
LONGEST_TRACEBACK = 200_000
"""Characters of a traceback that are kept, its end."""


def job_id(config: Option) -> str:
    """First 12 hex digits of the sha256 of what makes this another run: points of one id are one run."""
    told = json.dumps(identity(config), sort_keys=True, allow_nan=False)
    return hashlib.sha256(told.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Record:
    """How a job stands. `folder` and `traceback` are relative to the study, where they lie in it."""

    id: str
    overrides: tuple[str, ...] = ()
    status: str = "left"
    folder: str | None = None
    value: float | None = None
    """What a sweeper gets: val/bpb."""
    test: float | None = None
    """test/bpb, which tables show."""
    reason: str | None = None
    """Why there is no value."""
    seconds: float | None = None
    started: float | None = None
    ended: float | None = None
    error: str | None = None
    traceback: str | None = None
    host: str | None = None
    pid: int | None = None
    attempt: int = 0
    sweep: str | None = None
    """The sweep that ran it last."""


class Records:
    """The records of one study.

    A record that the disk refuses is kept in memory, and `say` gets one sentence: a full disk must not fail a job that
    does not need it.
    """

    def __init__(self, study: Path, say: Callable[[str], None] = lambda text: None) -> None:
        self.study, self._say = study.absolute(), say
        self._kept: dict[str, Record] = {}

    @property
    def folder(self) -> Path:
        return self.study / "sweep"

    def read(self, id_: str) -> Record:
        """The record, as it stands; one without a status where there is none, or none that can be read."""
        if id_ in self._kept:
            return self._kept[id_]
        try:
            stored = json.loads((self.folder / f"{id_}.json").read_text(encoding="utf-8"))
            return _record(id_, stored)
        except (OSError, ValueError, TypeError, OverflowError, RecursionError):
            return Record(id_)

    def all(self) -> list[Record]:
        """Every record of the study, the oldest first."""
        ids = {path.stem for path in self.folder.glob("[!.]*.json")} | set(self._kept)
        return sorted((self.read(id_) for id_ in ids), key=lambda record: (record.started or 0.0, record.id))

    def write(self, record: Record) -> None:
        text = json.dumps(asdict(record), indent=1, allow_nan=False)
        try:
            write_atomically(self.folder / f"{record.id}.json", text.encode())
            self._kept.pop(record.id, None)
        except MachineError as refused:
            if not self._kept:
                self._say(f"{refused}; until then the table is kept in memory")
            self._kept[record.id] = record

    def write_traceback(self, id_: str, text: str) -> str | None:
        """Its path, from the study on; None where the disk refuses it."""
        path = self.folder / f"{id_}.traceback.txt"
        try:
            write_atomically(path, text[-LONGEST_TRACEBACK:].encode("utf-8", "backslashreplace"))
        except MachineError:
            return None
        return self.short(path)

    def short(self, path: Path) -> str:
        """The path from the study on, where it lies in it."""
        whole = path.absolute()
        return str(whole.relative_to(self.study)) if whole.is_relative_to(self.study) else str(whole)

    def run_folder(self, record: Record) -> RunFolder | None:
        """The run's own folder, if it can be read."""
        if record.folder is None:
            return None
        try:
            return RunFolder(self.study / record.folder)
        except (ConfigError, MachineError):
            return None

    def standing(self, record: Record) -> Record:
        """The record, but interrupted where it says running and nobody runs it any more."""
        if record.status != "running":
            return record
        folder = self.run_folder(record)
        found = "interrupted" if folder is None else claim.status(folder)
        if found == "finished":  # ended by now, or by a process that could not write its record
            return self.finished(record, folder)
        died = record.error or "its process ended without a word: killed, or out of memory"
        return record if found == "running" else replace(record, status="interrupted", error=died)

    def begun(self, record: Record, folder: RunFolder) -> Record:
        """A job whose run folder is ours; one that is finished already stays as it is."""
        at = {"folder": self.short(folder.path), "host": socket.gethostname(), "pid": os.getpid()}
        if folder.run.get("status") == "finished":
            return self.finished(record, folder)
        attempt = int(folder.run.get("attempt", record.attempt + 1))
        fresh = {"ended": None, "error": None, "traceback": None, "value": None, "test": None, "reason": None}
        return replace(record, status="running", started=time.time(), attempt=attempt, seconds=None, **fresh, **at)

    def finished(self, record: Record, folder: RunFolder | None, value: Any = None, since: float = 0.0) -> Record:
        """A finished job: what its run folder says, or `value` where it has none."""
        now, clean = time.time(), {"status": "finished", "error": None, "traceback": None}
        if folder is None:
            started = since or now
            return replace(record, **clean, value=number(value), seconds=now - started, started=started, ended=now)
        run = folder.run
        metrics, reasons, cost = (_section(run, key) for key in ("metrics", "reasons", "cost"))
        reason = reasons.get("test/bpb") or reasons.get("val/bpb")
        return replace(
            record,
            **clean,
            folder=self.short(folder.path),
            value=number(metrics.get("val/bpb")),
            test=number(metrics.get("test/bpb")),
            reason=None if reason is None else str(reason),
            seconds=number(cost.get("seconds")),
            started=number(run.get("started")),
            ended=number(run.get("ended")),
            host=str(run.get("host")),
            pid=_whole(run.get("pid")),
            attempt=_whole(run.get("attempt")) or 1,
        )

    def ended(self, record: Record, error: BaseException, traceback: str, since: float) -> Record:
        """A job that failed, or that a signal stopped."""
        failed = isinstance(error, Exception)
        sentence = in_one_sentence(error) if failed else str(error) or type(error).__name__
        told = sentence or f"{type(error).__name__}: {error}"
        now = time.time()
        return replace(
            record,
            status="failed" if failed else "interrupted",
            error=told[:2000],
            traceback=self.write_traceback(record.id, traceback) if failed else None,
            value=None,
            test=None,
            seconds=now - since,
            started=record.started or since,
            ended=now,
        )


def _section(run: dict[str, Any], key: str) -> dict[str, Any]:
    found = run.get(key)
    return found if isinstance(found, dict) else {}


def _whole(value: Any) -> int | None:
    return value if type(value) is int else None


def _record(id_: str, stored: Any) -> Record:
    if not isinstance(stored, dict):
        raise ValueError("no record")
    known = {field.name for field in fields(Record)}
    kept = {key: value for key, value in stored.items() if key in known}
    if kept.get("status") not in STATES:
        raise ValueError("a record without a status")
    for key in ("folder", "reason", "error", "traceback", "host", "sweep"):
        if not isinstance(kept.get(key), str | None):
            raise TypeError(f"{key} is no text")
    if not isinstance(kept.get("attempt", 0), int) or not isinstance(kept.get("pid"), int | None):
        raise TypeError("attempt or pid is no whole number")
    for key in ("value", "test", "seconds", "started", "ended"):
        if kept.get(key) is not None:
            kept[key] = float(kept[key])
            if not math.isfinite(kept[key]):
                raise ValueError(f"{key} is no number")
    return Record(**{**kept, "id": id_, "overrides": tuple(map(str, kept.get("overrides", ())))})
