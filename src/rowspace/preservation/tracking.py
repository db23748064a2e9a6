"""The ladder as one run of Weights & Biases, in the group of its study: the matrix as a table and as the page's figure.

Its id stays in <folder>/wandb.json, so that a ladder that is measured anew writes to the same run. Never read back;
whatever the client raises becomes one warning.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rowspace.errors import MachineError
from rowspace.figures.tokens import visible
from rowspace.preservation.export import rows_of
from rowspace.runfolder import write_atomically
from rowspace.training.base import LoggerOption
from rowspace.training.tracking import Tracking

JOB = "ladder"
FILE = "wandb.json"


def log_matrix(
    record: Mapping[str, Any],
    figures: Mapping[str, Any],
    folder: Path,
    option: LoggerOption,
    study: str,
    say: Callable[[str], None],
) -> str | None:
    """Log it and return the command that uploads it, where it waits offline. Says a problem once and goes on."""
    if option.mode == "disabled":
        return None
    told: list[str] = []

    def warn(problem: str) -> None:
        if not told:
            say(problem)
        told.append(problem)

    try:
        return _log(record, figures, folder, option, study, warn)
    except Exception as error:
        warn(f"the ladder was not logged: {' '.join(str(error).split()) or type(error).__name__}")
        return None


def _log(
    record: Mapping[str, Any],
    figures: Mapping[str, Any],
    folder: Path,
    option: LoggerOption,
    study: str,
    warn: Callable[[str], None],
) -> str | None:
    tracking = Tracking(
        option,
        folder=folder,
        id=_known(folder / FILE) or secrets.token_hex(4),
        name=folder.name,
        group=study,
        config=record["about"].get("settings") or {},
        warn=warn,
        job_type=JOB,
    )
    try:
        write_atomically(folder / FILE, json.dumps({"wandb": {"id": tracking.id, "mode": tracking.mode}}).encode())
    except MachineError as error:
        warn(str(error))
    step = len(record["lines"])
    tracking.table(step, "ladder/matrix", rows_of(record))
    tracking.table(step, "ladder/expectations", [dict(one) for one in record["expectations"]])
    for name, figure in figures.items():
        tracking.figure(step, f"ladder/{name}", figure)
    tracking.finish(exit_code=0, summary=summary(record))
    return tracking.sync_command


def summary(record: Mapping[str, Any]) -> dict[str, Any]:
    """The answer, and every cell under ladder/<rung>/<test>."""
    cells = {
        f"ladder/{line['key']}/{test['key']}": line["cells"][test["key"]]["value"]
        for line in record["lines"]
        for test in record["tests"]
    }
    words = [one["word"] for one in record["expectations"]]
    counts = {f"expectations/{word.replace(' ', '_')}": words.count(word) for word in dict.fromkeys(words)}
    return {"answer": visible(record["answer"]), "rungs": len(record["lines"]), **counts, **cells}


def _known(file: Path) -> str | None:
    """The id that an earlier call left; None where it left none that can be read."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    wandb = told.get("wandb") if isinstance(told, Mapping) else None
    found = wandb.get("id") if isinstance(wandb, Mapping) else None
    return found if isinstance(found, str) and found.isalnum() and len(found) <= 32 else None
