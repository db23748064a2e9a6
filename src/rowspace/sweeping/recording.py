"""A job that keeps its own record, in whichever process it runs; it travels there by pickling.

A failure is kept instead of raised, so that the jobs after it run, with its traceback in a file beside the record. In
a process of its own a job is silent: its run folder and its record say everything.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from rowspace.errors import MachineError, Stopped
from rowspace.runfolder import RunFolder
from rowspace.sweeping.records import Record, Records, job_id
from rowspace.terminal import visible


@dataclass
class Recorded:
    """What Hydra's launchers call with each composed config.

    `job.load(node)` gives the typed config, `job.run(config, placed)` does the work and returns the value. `asks`: a
    sweeper chooses by the value, so that a job without one is a failure that it must see.
    """

    job: Any
    sweep: str
    asks: bool = False
    watch: Callable[[Record], None] | None = None
    """Told before and after each job of this process."""
    home: tuple[str, int] = field(default_factory=lambda: (socket.gethostname(), os.getpid()))

    records: dict[Path, Records] = field(default_factory=dict)
    """By study, what this process keeps of them."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "watch": None, "records": {}}

    def __call__(self, node: DictConfig) -> Any:
        away = self.home != (socket.gethostname(), os.getpid())
        with _alone() if away else contextlib.nullcontext():
            return self._recorded(node, away)

    def _recorded(self, node: DictConfig, away: bool) -> Any:
        began, study = time.time(), Path(str(HydraConfig.get().sweep.dir)).absolute()
        records = self.records.setdefault(study, Records(study, say))
        overrides = tuple(str(override) for override in HydraConfig.get().overrides.task)
        id_ = hashlib.sha256("\n".join(overrides).encode()).hexdigest()[:12]
        placed = _Placed(records, Record(id_, overrides, sweep=self.sweep))
        if away and stop_file(records, self.sweep).exists():
            return None
        try:
            config = self.job.load(node)
            id_ = job_id(config)
            placed.record = replace(records.read(id_), overrides=overrides, sweep=self.sweep)
            self._tell(placed.record)
            value = self.job.run(_silent(config) if away else config, placed)
        except BaseException as error:
            record = records.ended(placed.record, error, traceback.format_exc(), began)
            records.write(record)
            self._tell(record)
            if isinstance(error, Exception) and not self.asks:
                return None
            if not isinstance(error, Exception) and away:
                return None  # the sweep's own process sees in the record that it was stopped
            raise
        record = records.finished(placed.record, placed.again(), value, began)
        records.write(record)
        self._tell(record)
        if self.asks and value is None:
            raise MachineError(f"val/bpb is null ({record.reason or 'no reason is known'}): the trial has no value")
        return value

    def _tell(self, record: Record) -> None:
        if self.watch is not None:
            self.watch(record)


class _Placed:
    """Hears which run folder the job got, and records that it runs there."""

    def __init__(self, records: Records, record: Record) -> None:
        self._records, self.record = records, record
        self._path: Path | None = None

    def __call__(self, folder: RunFolder) -> None:
        self._path = folder.path
        self.record = self._records.begun(self.record, folder)
        self._records.write(self.record)

    def again(self) -> RunFolder | None:
        """The folder as it is on disk now."""
        return None if self._path is None else RunFolder(self._path)


def stop_file(records: Records, sweep: str) -> Path:
    """Where a sweep that was interrupted says so to its jobs that have not begun."""
    return records.folder / f".stopped-{sweep}"


def say(text: str) -> None:
    """A line about the sweep, on stderr."""
    with contextlib.suppress(OSError):
        print("\n".join(visible(line) for line in text.split("\n")), file=sys.stderr, flush=True)


def _silent(config: Any) -> Any:
    """The config without bars and lines, where it has any."""
    trainer = getattr(config, "trainer", None)
    if trainer is None or not hasattr(trainer, "progress"):
        return config
    return config.model_copy(update={"trainer": trainer.model_copy(update={"progress": "none"})})


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """A job in a process of its own: results go to the run folder alone, and a signal unwinds it like the door does."""

    def stop(number: int, _frame: Any) -> None:
        raise Stopped(number)

    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, stop)
    with contextlib.redirect_stdout(io.StringIO()):
        yield
