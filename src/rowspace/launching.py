"""One job, or the jobs of a sweep: what a command line asks of Hydra, and what Hydra calls back.

Jobs raise; nothing here exits. Hydra's own folder, log files and output_subdir are off unless the user asked for them,
since they would be there before the run folder is.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from rowspace.composition import compose, conf_dir, plain
from rowspace.config import Call
from rowspace.data.corpora import Corpora
from rowspace.errors import ConfigError
from rowspace.runfolder import RunFolder
from rowspace.sweeping.refusals import folder_of, problems_of

FOLDERS = frozenset({"hydra.run.dir", "hydra.sweep.dir", "hydra.sweep.subdir"})


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
    mode = RunMode.MULTIRUN if _sweeps(hydra, name, args) else RunMode.RUN
    composed, refused = compose(hydra, name, args.overrides, mode)
    quiet = _quiet(composed, command)
    job = Job(command, typed, FOLDERS - {word.partition("=")[0] for word in quiet})
    if mode == RunMode.MULTIRUN:
        if refused:
            raise ConfigError.of(refused)
        from rowspace.sweeping.sweep import Sweep

        words = [*quiet, "hydra.mode=MULTIRUN", *args.overrides]
        Sweep(hydra, name, words, job, trains=command == "train" and composed.get("dry_run") is not True).run()
        return
    if found := problems_of(composed, refused, job.load)[1]:
        raise ConfigError(*found)
    once = Once(job)
    with folder_of("hydra.run.dir"):
        hydra.run(name, once, [*quiet, *args.overrides])
    if once.error is not None:
        raise once.error


def _sweeps(hydra: Any, name: str, args: Any) -> bool:
    """Whether this is a sweep: said by -m, by hydra.mode, or by a file of settings that holds a grid."""
    if args.multirun or "hydra.mode=MULTIRUN" in args.overrides:
        return True
    files = [word for word in args.overrides if word.partition("=")[0].lstrip("+") in ("sweep", "experiment")]
    if not files or "hydra.mode=RUN" in args.overrides:
        return False
    return compose(hydra, name, args.overrides, RunMode.MULTIRUN)[0].hydra.mode == RunMode.MULTIRUN


def _show(hydra: Any, name: str, args: Any) -> None:
    """Print the composed config; only one that cannot be composed is looked at twice."""
    try:
        hydra.show_cfg(name, args.overrides, args.cfg, args.package, args.resolve)
    except (HydraException, OmegaConfBaseException):
        raise ConfigError(*compose(hydra, name, args.overrides, RunMode.RUN)[1]) from None


@dataclass
class Job:
    """One job of a command, which a launcher can send elsewhere. `given`: which of Hydra's folders the user named."""

    command: str
    typed: tuple[str, ...]
    given: frozenset[str]
    corpora: Corpora = field(default_factory=Corpora)

    def load(self, node: DictConfig) -> Any:
        """The typed config of the command; ConfigError with every problem."""
        module = importlib.import_module(f"rowspace.commands.{self.command}")
        return module.load(plain(node))

    def run(self, config: Any, placed: Callable[[RunFolder], None] | None = None) -> Any:
        """Do the work, inside a job of Hydra's; `placed` is told which run folder it got."""
        hydra = HydraConfig.get()
        sweep = hydra.mode == RunMode.MULTIRUN
        whole = "hydra.sweep.subdir" if sweep else "hydra.run.dir"
        told: dict[str, Any] = {} if placed is None else {"placed": placed}
        call = Call(
            self.typed,
            tuple(str(override) for override in hydra.overrides.task),
            Path(hydra.runtime.output_dir) if whole in self.given else None,
            sweep=sweep,
            within=Path(str(hydra.sweep.dir)) if sweep and "hydra.sweep.dir" in self.given else None,
            corpora=self.corpora,
            **told,
        )
        return importlib.import_module(f"rowspace.commands.{self.command}").run(config, call)


@dataclass
class Once:
    """A job that runs alone: its error is kept, since Hydra would log it and exit."""

    job: Job
    error: Exception | None = None

    def __call__(self, node: DictConfig) -> Any:
        try:
            return self.job.run(self.job.load(node))
        except Exception as error:
            self.error = error
            return None


def _quiet(composed: DictConfig, command: str) -> list[str]:
    """Overrides that switch off what Hydra writes by itself, where its own defaults still stand."""
    hydra, off = composed.hydra, []
    in_studies = "study" in composed
    if "${now:" in str(hydra.run._get_node("dir")):
        off.append("hydra.run.dir=.")
    ours = "${now:" in str(hydra.sweep._get_node("dir"))
    if ours:
        dry = not in_studies or composed.get("dry_run") is True
        off.append("hydra.sweep.dir=" + (f"outputs/.sweep/{command}" if dry else "outputs/${study}"))
    if "hydra.job.num" in str(hydra.sweep._get_node("subdir")) and (ours or in_studies):
        off.append("hydra.sweep.subdir=.")
    if hydra.output_subdir == ".hydra":
        off.append("hydra.output_subdir=null")
    if hydra.runtime.choices["hydra/job_logging"] == "default":
        off.append("hydra/job_logging=stdout")
    if hydra.sweeper.get("max_failure_rate") == 0:
        off.append("hydra.sweeper.max_failure_rate=1.0")  # one failed trial does not end the others
    return off
