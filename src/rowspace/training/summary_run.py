"""One run of Weights & Biases that sums others up: a comparison, a ladder. Its own folder keeps its id.

So what is summed up anew writes to the same run. Never read back; whatever goes wrong becomes one warning.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rowspace.errors import MachineError
from rowspace.runfolder import write_atomically
from rowspace.training.base import LoggerOption
from rowspace.training.tracking import Tracking

Fill = Callable[[Tracking], Mapping[str, Any]]
"""Logs tables and figures, and returns the summary."""


def log_summary_run(
    option: LoggerOption,
    note: Path,
    fill: Fill,
    *,
    job: str,
    name: str,
    group: str,
    config: Mapping[str, Any],
    say: Callable[[str], None],
) -> str | None:
    """Log it and return the command that uploads it, where it waits offline. Says a problem once and goes on.

    `note` is the file that keeps the id; W&B's own files lie beside it.
    """
    if option.mode == "disabled":
        return None
    told: list[str] = []

    def warn(problem: str) -> None:
        if not told:
            say(problem)
        told.append(problem)

    try:
        tracking = Tracking(
            option,
            folder=note.parent,
            id=_known(note) or secrets.token_hex(4),
            name=name,
            group=group,
            config=config,
            warn=warn,
            job_type=job,
        )
        return _filled(tracking, note, fill, warn)
    except Exception as error:
        warn(f"the {job} was not logged: {' '.join(str(error).split()) or type(error).__name__}")
        return None


def _filled(tracking: Any, note: Path, fill: Fill, warn: Callable[[str], None]) -> str | None:
    """Keep the id, log, and close the run however that ends."""
    try:
        write_atomically(note, json.dumps({"wandb": {"id": tracking.id, "mode": tracking.mode}}).encode())
    except MachineError as error:
        warn(str(error))
    code, summary = 1, dict[str, Any]()
    try:
        summary = dict(fill(tracking))
        code = 0
    finally:
        tracking.finish(exit_code=code, summary=summary)
    return tracking.sync_command


def _known(file: Path) -> str | None:
    """The id that an earlier call left; None where it left none that can be read."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    wandb = told.get("wandb") if isinstance(told, Mapping) else None
    found = wandb.get("id") if isinstance(wandb, Mapping) else None
    return found if isinstance(found, str) and found.isalnum() and len(found) <= 32 else None
