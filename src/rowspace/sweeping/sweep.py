"""A sweep: every point is checked before the first job, jobs fail alone, finished ones are not run, a table ends it.

A grid's points are launched by us, one list through whichever launcher was chosen; a sweeper that chooses its points as
it goes (optuna) runs the same recorded job. State lies in records and run folders alone, so that the same command after
a kill, or with a wider grid, goes on where it was.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra._internal.callbacks import Callbacks
from hydra._internal.core_plugins.basic_launcher import BasicLauncher
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.plugins import Plugins
from hydra.types import HydraContext, RunMode
from omegaconf import DictConfig, OmegaConf

from rowspace.commands import compare
from rowspace.errors import ConfigError, MachineError
from rowspace.sweeping.ending import ending, gently
from rowspace.sweeping.grid import Checker, Grid, Point, read_points
from rowspace.sweeping.recording import Recorded, say
from rowspace.sweeping.records import Records
from rowspace.sweeping.refusals import folder_of
from rowspace.sweeping.status import LOOK_EVERY, Asked, Board, Listed
from rowspace.terminal import Terminal

if TYPE_CHECKING:
    from rowspace.sweeping.preparing import Prepared

ROUNDS = 3
"""Times that what a broken launcher left undone is launched: a worker that runs out of memory takes others with it."""


@dataclass
class Sweep:
    """One sweep of `command`; `job` is what runs a point, `trains` whether its jobs are training runs."""

    hydra: Any
    name: str
    overrides: list[str]
    job: Any
    trains: bool

    def __post_init__(self) -> None:
        self.token = secrets.token_hex(6)
        composed = self.hydra.compose_config(self.name, self.overrides, RunMode.MULTIRUN, with_log_configuration=False)
        self.composed: DictConfig = composed
        self.in_process = _is(composed.hydra.launcher, BasicLauncher)
        self.reader = compare.new_reader() if self.trains else None
        self.logger: Any = None

    def run(self) -> None:
        """Raises ConfigError before the first job, MachineError where jobs failed."""
        if _is(self.composed.hydra.sweeper, BasicSweeper):
            self._run_grid()
        else:
            self._run_sweeper()

    # ------------------------------------------------------------------------------------------- a grid of points
    def _run_grid(self) -> None:
        words, arms = read_points(self.hydra, self.composed), OmegaConf.select(self.composed, "fraction")
        checker = Checker(self.hydra, self.name, self.composed, self.job.load, self.in_process, say)
        grid = checker.grid(words, arms if isinstance(arms, int) else None)
        self._refuse(grid)
        for note in [*grid.said, *grid.repetitions()]:
            say(note)
        prepared = self._prepared(grid)
        if prepared is not None and prepared.unfit:
            unfit = {point.id for point, _ in prepared.unfit}
            grid.points = [point for point in grid.points if point.id not in unfit]
            grid.invalid = {point.words: why for point, why in prepared.unfit}
            self._refuse(grid)
        if not grid.points:
            raise ConfigError("no grid point is valid, so nothing was run")
        with folder_of("hydra.sweep.dir"):
            for study in {point.study for point in grid.points}:
                study.mkdir(parents=True, exist_ok=True)
        jobs = Listed(grid.points, {point.study: Records(point.study, say) for point in grid.points})
        if self.trains:
            self.logger = grid.points[0].config.logger.within(os.environ, grid.points[0].overrides)
        _begin(jobs, prepared)
        self._launch(jobs)

    def _prepared(self, grid: Grid) -> Prepared | None:
        if not self.trains:
            return None
        from rowspace.sweeping.preparing import prepare  # heavy: a grid that is refused waits for none of it

        return prepare(grid.points, self.job.corpora, Terminal(self._progress))

    def _refuse(self, grid: Grid) -> None:
        """ConfigError that lists every invalid point, or their names where the rest shall run."""
        if not grid.invalid:
            return
        if OmegaConf.select(self.composed, "skip_invalid", default=False) is not True:
            hint = "" if not grid.points or not self.trains else "\nskip_invalid=true runs the others"
            raise ConfigError(grid.complaint("so nothing was run") + hint)
        say(grid.complaint("left out"))

    @property
    def _progress(self) -> Any:
        return OmegaConf.select(self.composed, "trainer.progress", default="auto")

    def _launch(self, jobs: Listed) -> None:
        board = Board(jobs, say=say, refresh=self._refresh)
        todo = [point for point, row in zip(jobs.points, jobs.rows(), strict=True) if row.status != "finished"]
        callbacks = Callbacks(self.composed)
        callbacks.on_multirun_start(config=self.composed, config_name=self.name)
        launcher = Plugins.instance().instantiate_launcher(
            hydra_context=HydraContext(config_loader=self.hydra.config_loader, callbacks=callbacks),
            task_function=self._recorded(board, list(jobs.records.values())),
            config=self.composed,
        )
        with self._ending(board), self._watching(board), _launchers_quiet():
            self._rounds(launcher, jobs, todo)
            callbacks.on_multirun_end(config=self.composed, config_name=self.name)

    def _rounds(self, launcher: Any, jobs: Listed, todo: Sequence[Point]) -> None:
        """Launch what is to do; what a launcher left undone when it broke, again."""
        for _ in range(ROUNDS):
            if not todo:
                break
            before = [row.status for row in jobs.rows()]
            try:
                launcher.launch([list(point.overrides) for point in todo], initial_job_idx=0)
                broken = None
            except Exception as error:
                if self.in_process:
                    raise
                broken = error
            undone = {row.id for row in jobs.rows() if row.status in ("left", "interrupted")}
            todo = [point for point in todo if point.id in undone]
            if broken is not None and before == [row.status for row in jobs.rows()]:
                raise MachineError(f"hydra/launcher: {type(broken).__name__}: {broken}") from broken
            if broken is not None:
                say(f"a job's process ended and the launcher with it ({type(broken).__name__}); going on with the rest")
        while any(row.status == "running" and row.sweep == self.token for row in jobs.rows()):
            time.sleep(LOOK_EVERY)  # a launcher that broke has left jobs of its own behind

    # ------------------------------------------------------------------------- a sweeper that chooses as it goes
    def _run_sweeper(self) -> None:
        study = Path(str(OmegaConf.select(self.composed, "hydra.sweep.dir")))
        with folder_of("hydra.sweep.dir"):
            study.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(ConfigError):  # a value that only the sweeper gives
            self.logger = self.job.load(self.composed).logger if self.trains else None
        for word in [word for word in self.composed.hydra.overrides.task if "=range(" in word]:
            say(f"{word}: a sweeper may try the end of a range too; choice(1,2,3) says which values are meant")
        records = Records(study, say)
        board = Board(Asked(self.token, records), say=say, refresh=self._refresh)
        recorded = self._recorded(board, [records], asks=True)
        with self._ending(board), self._watching(board), _third_party_warnings():
            try:
                self.hydra.multirun(self.name, recorded, self.overrides)
            except Exception:
                if not any(row.status == "failed" or row.value is None for row in board.jobs.rows()):
                    raise  # else the sweeper gave up because of them, and the table says why

    def _recorded(self, board: Board, records: Sequence[Records], *, asks: bool = False) -> Recorded:
        watch = board.hear if self.in_process else None
        return Recorded(self.job, self.token, asks, watch, records={one.study: one for one in records})

    def _ending(self, board: Board) -> contextlib.AbstractContextManager[None]:
        return ending(board, self.token, elsewhere=not self.in_process, finish=self._finish)

    def _watching(self, board: Board) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext() if self.in_process else self._watched(board)

    @contextlib.contextmanager
    def _watched(self, board: Board) -> Iterator[None]:
        with board.watching(), gently(board, self.token):
            yield

    def _refresh(self, study: Path) -> None:
        if self.trains:
            compare.refresh(study, say, self.reader)

    def _finish(self, study: Path) -> None:
        if self.trains and self.logger is not None:
            compare.finish(study, self.logger, say, self.reader)


def _begin(jobs: Listed, prepared: Prepared | None) -> None:
    """What each record says before the first job: finished already, running elsewhere, or left to do."""
    finished = {} if prepared is None else prepared.finished
    for point in jobs.points:
        records = jobs.of(point.id)
        old = records.read(point.id)
        record = replace(old, overrides=point.overrides)
        if point.id in finished:
            record = records.finished(record, finished[point.id])
        elif records.standing(old).status != "running":
            nothing = dict.fromkeys(("value", "test", "reason", "seconds", "ended", "error", "traceback"))
            record = replace(record, status="left", **nothing)
        if record != old:
            records.write(record)
    if finished:
        say(f"{len(finished)} of {len(jobs.points)} runs are finished already; rerun=true trains them anew")


def _is(node: DictConfig, kind: type) -> bool:
    return node._target_ == f"{kind.__module__}.{kind.__name__}"


@contextlib.contextmanager
def _launchers_quiet() -> Iterator[None]:
    """Hydra's launchers list their jobs by number; what is said here has the time left."""
    loggers = [logging.getLogger(name) for name in ("hydra", "hydra_plugins")]
    before = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.WARNING)
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@contextlib.contextmanager
def _third_party_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        # optuna 2.10.1 on SQLAlchemy 2, at its import; its sampler's options in Hydra's plugin, at every sweep
        warnings.filterwarnings("ignore", message=".*declarative_base.*")
        warnings.filterwarnings("ignore", module="optuna")
        yield
