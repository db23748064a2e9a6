"""One job, or the jobs of a sweep: every configuration is checked before the first of them starts.

Jobs raise; nothing here exits. Hydra's own folder, log file and output_subdir are off unless the user asked for them,
since they would be there before the run folder is.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hydra import initialize_config_dir
from hydra._internal.core_plugins.basic_launcher import BasicLauncher
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rowspace.composition import compose, conf_dir, plain
from rowspace.errors import ConfigError, MachineError, Problem, in_one_sentence
from rowspace.terminal import visible

SLOW_TO_CHECK = 20


@contextmanager
def opened(command: str, config_path: str | None) -> Iterator[Any]:
    """Hydra over our YAML files (or those at `config_path`), for one command."""
    where = Path(config_path).absolute() if config_path else conf_dir()
    with initialize_config_dir(str(where), job_name=command, version_base="1.3"):
        yield GlobalHydra.instance().hydra


def launch(hydra: Any, command: str, name: str, args: Any, typed: tuple[str, ...]) -> None:
    """Show, run or sweep the config called `name`, after every problem in it has been reported."""
    if args.cfg:
        _show(hydra, name, args)
        return
    sweep = args.multirun or "hydra.mode=MULTIRUN" in args.overrides
    composed, problems = compose(hydra, name, args.overrides, RunMode.MULTIRUN if sweep else RunMode.RUN)
    quiet = _quiet(composed)
    ours = "hydra.sweep.dir=" if sweep else "hydra.run.dir="
    job = Job(command, typed, folder_given=not any(word.startswith(ours) for word in quiet))
    if sweep:
        if problems:
            raise ConfigError.of(problems)
        _sweep(hydra, name, [*quiet, "hydra.mode=MULTIRUN", *args.overrides], job)
        return
    if found := _all_problems(problems, job, composed):
        raise ConfigError(*found)
    once = Recorded(job)
    with _folder_of("hydra.run.dir"):
        hydra.run(name, once, [*quiet, *args.overrides])
    if once.rows[0].error is not None:
        raise once.rows[0].error


def _all_problems(refused: Sequence[Problem], job: Job, composed: DictConfig) -> list[Problem | str]:
    """What could not be composed, and what the command finds in the rest, each key once: a refused one has no value."""
    keys = {problem.key for problem in refused}
    return [*refused, *(one for one in job.problems(composed) if not (isinstance(one, Problem) and one.key in keys))]


@contextmanager
def _folder_of(key: str) -> Iterator[None]:
    """What Hydra itself cannot write as one sentence; what a job cannot was kept with its row."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        right = "name a folder that can be made and written to"
        raise MachineError(f"{key}: cannot make the folder {error.filename}: {why}; {right}") from error


def _show(hydra: Any, name: str, args: Any) -> None:
    """Print the composed config; only one that cannot be composed is looked at twice."""
    try:
        hydra.show_cfg(name, args.overrides, args.cfg, args.package, args.resolve)
    except (HydraException, OmegaConfBaseException):
        raise ConfigError(*compose(hydra, name, args.overrides, RunMode.RUN)[1]) from None


@dataclass
class Job:
    """What Hydra calls with each composed config. Plain fields only, so that a launcher can send it elsewhere."""

    command: str
    typed: tuple[str, ...]
    folder_given: bool

    def load(self, node: DictConfig) -> Any:
        """The typed config of the command; ConfigError with every problem."""
        module = importlib.import_module(f"rowspace.commands.{self.command}")
        return module.load(plain(node))

    def problems(self, node: DictConfig) -> list[Problem | str]:
        try:
            self.load(node)
        except ConfigError as error:
            return list(error.problems)
        return []

    def __call__(self, node: DictConfig) -> Any:
        from rowspace.config import Call

        hydra = HydraConfig.get()
        folder = Path(hydra.runtime.output_dir) if self.folder_given else None
        overrides = tuple(str(override) for override in hydra.overrides.task)
        call = Call(self.typed, overrides, folder, sweep=hydra.mode == RunMode.MULTIRUN)
        return importlib.import_module(f"rowspace.commands.{self.command}").run(self.load(node), call)


@dataclass(frozen=True)
class Row:
    """How one job ended."""

    overrides: tuple[str, ...]
    seconds: float
    value: Any
    error: Exception | None


@dataclass
class Recorded:
    """A job whose failure is kept instead of raised, so that the jobs after it run; each failure is said at once."""

    job: Job
    rows: list[Row] = field(default_factory=list)
    aloud: bool = False

    def __call__(self, node: DictConfig) -> Any:
        start, value, error = time.monotonic(), None, None
        try:
            value = self.job(node)
        except Exception as failure:
            error = failure
            if self.aloud:
                _say_failure(failure)
        overrides = tuple(str(override) for override in HydraConfig.get().overrides.task)
        self.rows.append(Row(overrides, time.monotonic() - start, value, error))
        return value


def _sweep(hydra: Any, name: str, overrides: list[str], job: Job) -> None:
    """Every grid point is checked before job 0; then the jobs, one failing without stopping the others, and a table."""
    composed = hydra.compose_config(name, overrides, RunMode.MULTIRUN, with_log_configuration=False)
    basic = composed.hydra.sweeper._target_ == f"{BasicSweeper.__module__}.{BasicSweeper.__name__}"
    in_process = composed.hydra.launcher._target_ == f"{BasicLauncher.__module__}.{BasicLauncher.__name__}"
    if basic:
        _check_grid(hydra, name, composed, job, in_process)
    if not (basic and in_process):
        hydra.multirun(name, job, overrides)
        return
    recorded = Recorded(job, aloud=True)
    try:
        with _folder_of("hydra.sweep.dir"):
            hydra.multirun(name, recorded, overrides)
    finally:
        if recorded.rows:
            print("\n".join(["", *_table(recorded.rows)]), flush=True)
    failed = sum(row.error is not None for row in recorded.rows)
    if failed:
        raise MachineError(f"{failed} of {len(recorded.rows)} jobs failed; the others are finished")


def _check_grid(hydra: Any, name: str, composed: DictConfig, job: Job, in_process: bool) -> None:
    """ConfigError that lists every invalid grid point with its problems."""
    parser = OverridesParser.create(config_loader=hydra.config_loader)
    params = [f"{key}={value}" for key, value in (composed.hydra.sweeper.params or {}).items()]
    parsed = parser.parse_overrides([*params, *composed.hydra.overrides.task])
    points = BasicSweeper.split_arguments(parsed, None)[0]
    if len(points) > SLOW_TO_CHECK:
        print(f"checking {len(points)} grid points before the first job", file=sys.stderr, flush=True)
    invalid: list[str] = []
    for point in points:
        found = _point_problems(hydra, name, [*composed.hydra.overrides.hydra, *point], job, in_process)
        if found:
            invalid.append("\n".join([" ".join(point), *(f"    {problem}" for problem in found)]))
    if invalid:
        head = f"{len(invalid)} of {len(points)} grid points are not valid, so nothing was run:"
        raise ConfigError("\n  ".join([head, *invalid]))


def _point_problems(hydra: Any, name: str, overrides: Sequence[str], job: Job, in_process: bool) -> list[Problem | str]:
    composed, problems = compose(hydra, name, overrides, RunMode.RUN)
    found = _all_problems(problems, job, composed)
    devices = OmegaConf.select(composed, "trainer.devices", default=1)
    if in_process and isinstance(devices, int) and devices > 1:
        right = "1 in a sweep of one process (each device would start the whole sweep again), or run the points alone"
        found.append(Problem("trainer.devices", f"{devices} was given", right))
    return found


def _quiet(composed: DictConfig) -> list[str]:
    """Overrides that switch off what Hydra writes by itself, where its own defaults still stand."""
    hydra, off = composed.hydra, []
    if "${now:" in str(hydra.run._get_node("dir")):
        off.append("hydra.run.dir=.")
    if "${now:" in str(hydra.sweep._get_node("dir")):
        study = "outputs/${study}" if "study" in composed else "outputs"
        off += [f"hydra.sweep.dir={study}", "hydra.sweep.subdir=."]
    if hydra.output_subdir == ".hydra":
        off.append("hydra.output_subdir=null")
    if hydra.runtime.choices["hydra/job_logging"] == "default":
        off.append("hydra/job_logging=stdout")
    return off


def _say_failure(failure: Exception) -> None:
    sentence = in_one_sentence(failure)
    if sentence is not None:
        print("\n".join(visible(line) for line in f"failed: {sentence}".split("\n")), file=sys.stderr, flush=True)
    else:
        import traceback

        traceback.print_exception(failure)


def _table(rows: Sequence[Row]) -> list[str]:
    """One line a job: its number, how it ended, what it returned and what sets it apart from the others."""
    shared = set.intersection(*(set(row.overrides) for row in rows)) if len(rows) > 1 else set()
    lines = ["job  status    seconds  value      overrides"]
    for number, row in enumerate(rows):
        status = "finished" if row.error is None else "failed"
        value = f"{row.value:.5g}" if isinstance(row.value, float) else "-"
        own = " ".join(override for override in row.overrides if override not in shared)
        lines.append(f"{number:<4} {status:<9} {row.seconds:<8.1f} {value:<10} {own}")
    alike = " ".join(override for override in rows[0].overrides if override in shared)
    return [*lines, f"all: {alike}"] if alike else lines
