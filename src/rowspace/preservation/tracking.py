"""The ladder as one run of Weights & Biases, in the group of its study: the matrix as a table and as the page's figure.

Its id stays in <folder>/wandb.json, so that a ladder that is measured anew writes to the same run. Never read back;
whatever the client raises becomes one warning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rowspace.figures.tokens import visible
from rowspace.preservation.export import rows_of
from rowspace.training.base import LoggerOption
from rowspace.training.summary_run import log_summary_run
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

    def fill(tracking: Tracking) -> dict[str, Any]:
        step = len(record["lines"])
        tracking.table(step, "ladder/matrix", rows_of(record))
        tracking.table(step, "ladder/expectations", [dict(one) for one in record["expectations"]])
        for name, figure in figures.items():
            tracking.figure(step, f"ladder/{name}", figure)
        return summary(record)

    named = {"name": folder.name, "group": study, "config": record["about"].get("settings") or {}}
    return log_summary_run(option, folder / FILE, fill, job=JOB, say=say, **named)


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
