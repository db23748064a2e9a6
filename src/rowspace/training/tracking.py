"""The mirror of a run in Weights & Biases. Never read back, and never allowed to fail a run.

Steps travel in `trainer/global_step` and not as `step=`, which drops what comes out of order. Whatever the client
raises becomes one warning; the run's own folder has everything anyway.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.figures.tokens import visible
from rowspace.runfolder import STEP
from rowspace.training.base import LoggerOption

INIT_TIMEOUT = {"online": 12.0, "offline": 90.0}
"""Seconds that a start may take: an online one before the run goes on offline, an offline one on a busy machine."""
FINISH_TIMEOUT = 30.0
"""Seconds that the last upload may take; what is missing then can be synced later."""


class Tracking:
    """One W&B run, or nothing where the mode is disabled or the client has failed.

    `mode` is the one in effect: online becomes offline where there is no key or no network, with another `id`.
    """

    def __init__(
        self,
        option: LoggerOption,
        *,
        folder: Path,
        id: str,
        name: str,
        group: str,
        config: Mapping[str, Any],
        warn: Callable[[str], None],
        tags: Sequence[str] = (),
        job_type: str | None = None,
    ) -> None:
        self.mode = option.mode
        self.id = id
        self.folder: Path | None = None
        self._warn = warn
        self._run: Any = None
        self._environment = _point_into(folder.resolve())
        if option.mode != "disabled":
            settings = {"name": name, "group": group, "dir": str(folder), "config": dict(config), "job_type": job_type}
            self._start(option, settings | {"tags": [*tags, *option.tags]})

    def _start(self, option: LoggerOption, settings: dict[str, Any]) -> None:
        settings |= {"project": option.project, "entity": option.entity, "notes": option.notes}
        if self.mode == "online" and not self._attempt(settings, "online"):
            self.mode = "offline"
            self.id = secrets.token_hex(4)  # the client holds on to the id that it could not start
        if self.mode == "offline" and self._run is None and not self._attempt(settings, "offline", tries=2):
            self.mode = "disabled"
        if self._run is not None:
            self.id = str(self._run.id)  # a search's agent gives one of its own
            self.folder = Path(self._run.settings.sync_dir)
            self._do(self._run.config.update, {"logger": {"mode": self.mode}}, allow_val_change=True)
            self._do(self._run.define_metric, STEP, hidden=True)
            self._do(self._run.define_metric, "*", step_metric=STEP, step_sync=True)

    def _attempt(self, settings: dict[str, Any], mode: str, tries: int = 1) -> bool:
        """Open the run in this mode; on the last failure say why, once, and leave nothing of the attempt behind.

        The client may read the file in which its service names its port before anything stands in it.
        """
        import wandb

        try:
            if mode == "online" and not wandb.login(prompt=False, verify=False):
                raise RuntimeError("no API key: run `wandb login` once")
            limits: dict[str, Any] = {"init_timeout": INIT_TIMEOUT[mode], "x_service_wait": INIT_TIMEOUT[mode]}
            quiet = wandb.Settings(silent=True, console="off", x_disable_stats=True, **limits)
            self._run = wandb.init(mode=mode, id=self.id, reinit="create_new", settings=quiet, **settings)  # type: ignore[arg-type]
        except Exception as error:
            if tries > 1:
                self.id = secrets.token_hex(4)
                return self._attempt(settings, mode, tries - 1)
            instead = "goes on offline" if mode == "online" else "goes on without it"
            self._warn(f"Weights & Biases could not start {mode} ({_first_line(error)}); the run {instead}.")
            return False
        return True

    @property
    def sync_command(self) -> str | None:
        """What uploads an offline run."""
        return f"wandb sync {self.folder}" if self.folder is not None and self.mode == "offline" else None

    def log(self, row: Mapping[str, Any]) -> None:
        """One row with its trainer/global_step."""
        if self._run is not None:
            self._do(self._run.log, dict(row))

    def table(self, step: int, key: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """A new table an evaluation: W&B keeps them all. Control characters of tokens are named."""
        if self._run is None or not rows:
            return
        import wandb

        columns: list[Any] = list(dict.fromkeys(key for row in rows for key in row))
        data: list[Any] = [[_cell(row.get(column)) for column in columns] for row in rows]
        self._do(lambda: self._run.log({STEP: step, key: wandb.Table(columns=columns, data=data)}))

    def figure(self, step: int, key: str, figure: Any) -> None:
        """A Plotly figure."""
        if self._run is not None:
            self._do(self._run.log, {STEP: step, key: figure})

    def artifact(self, name: str, kind: str, files: Sequence[Path], **facts: Any) -> None:
        """Files under a name, referred to where they lie instead of copied."""
        if self._run is None:
            return
        import wandb

        def log() -> None:
            artifact = wandb.Artifact(name, kind, metadata=facts)
            for file in files:
                artifact.add_file(str(file.resolve()), policy="immutable")
            self._run.log_artifact(artifact)

        self._do(log)

    def finish(self, *, exit_code: int, summary: Mapping[str, Any]) -> None:
        """Close the run; the summary is the final metrics. The next run of this process starts clean."""
        if self._run is not None:
            self._do(self._run.summary.update, dict(summary))
        if self._run is not None:
            run, self._run = self._run, None
            _within(FINISH_TIMEOUT, lambda: run.finish(exit_code=exit_code), self._warn)
        for name, value in self._environment.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)

    def _do(self, action: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        try:
            action(*arguments, **named)
        except Exception as error:
            self._run = None
            self._warn(f"Weights & Biases stopped taking results ({_first_line(error)}); the run folder has them all.")


def _point_into(folder: Path) -> dict[str, str | None]:
    """Send W&B's staging and cache into the run folder, unless the user sent them elsewhere; returns what was set."""
    names = ("WANDB_DATA_DIR", "WANDB_CACHE_DIR", "WANDB_DIR")
    before = {name: os.environ.get(name) for name in names}
    for name, place in zip(names, (folder / "wandb" / "data", folder / "wandb" / "cache", folder), strict=True):
        os.environ.setdefault(name, str(place))
    return before


def _within(seconds: float, action: Callable[[], Any], warn: Callable[[str], None]) -> None:
    """Do it, but wait no longer than this: a dead service must not hold a finished run."""
    failure: list[BaseException] = []

    def work() -> None:
        try:
            action()
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=work, name="wandb finish", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive() or failure:
        why = _first_line(failure[0]) if failure else f"no answer in {seconds:g} s"
        warn(f"Weights & Biases did not close its run ({why}); the run folder has all results.")


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    return value if isinstance(value, (int, float, bool)) or value is None else str(value)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:160]
