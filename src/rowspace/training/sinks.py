"""The recorder of a run: every result goes to the run folder and to Weights & Biases, one row a step.

The folder is the truth: its metrics.jsonl has each logged step once, also after a kill. Values that do not exist are
null in the row, with the reason in run.json.
"""

from __future__ import annotations

import contextlib
import math
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace import answers
from rowspace.answers import Findings
from rowspace.figures.blocked import Blocked, read_blocked
from rowspace.runfolder import STEP, RunFolder
from rowspace.table import Missing
from rowspace.training.base import LoggerOption
from rowspace.training.tracking import Tracking

LONGEST_TRACKED = 2000
"""Rows of a table that W&B gets: 8,000 rows take it 0.8 s of CPU, and the map has them as a figure."""


class Sinks:
    """Implements `rowspace.callbacks.recorder.Recorder`.

    Scalars of one step, whoever sends them, become one row, written when the step is over (`flush`) or when a later
    one begins. `latest` is the last value of every key. Words that `blocked` holds (None: our list) are masked in what
    W&B gets; the folder has what was measured.
    """

    def __init__(self, folder: RunFolder, tracking: Tracking, blocked: Blocked | None = None) -> None:
        self.tracking = tracking
        self._blocked = read_blocked(None) if blocked is None else blocked
        self.latest: dict[str, float | None] = {}
        self.reasons: dict[str, str] = {}
        self._folder = folder
        self._step = 0
        self._row: dict[str, float | None] = {}
        self._rows = len(folder.read_metrics())

    def scalars(self, step: int, values: Mapping[str, float | Missing]) -> None:
        """Add numbers by metric key to the row of this step. A number that is not finite is missing, and says so."""
        if step != self._step:
            self.flush()
            self._step = step
        for key, value in values.items():
            if not isinstance(value, Missing) and not math.isfinite(value):
                value = Missing(f"not finite ({value})")
            if isinstance(value, Missing):
                self._row[key] = None
                self.reasons[key] = value.reason
            else:
                self._row[key] = value
                self.reasons.pop(key, None)

    def table(self, step: int, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """tables/<name>.parquet, and a new W&B table, unless it is so long that only its figure is looked at there."""
        self._folder.write_table(name, rows)
        self._track_table(step, f"tables/{name}", rows)

    def figure(self, step: int, name: str, figure: Any) -> None:
        """figures/<name>.json, and the same figure in W&B."""
        self._folder.write_figure(name, figure)
        self._track_figure(step, f"figures/{name}", figure)

    def answer(self, step: int, name: str, findings: Findings) -> None:
        """answers/<name>.json and its tables; in W&B a table and a figure each under `probe/<name>/`."""
        about = {"step": step, "command": None, "runs": [], "settings": {}}
        answers.write(self._folder.answers, name, findings, about)
        for table, rows in findings.rows.items():
            self._track_table(step, f"probe/{name}/tables/{table}", rows)
        for figure, drawn in findings.figures.items():
            self._track_figure(step, f"probe/{name}/figures/{figure}", drawn)

    def _track_table(self, step: int, key: str, rows: Sequence[Mapping[str, Any]]) -> None:
        if len(rows) <= LONGEST_TRACKED:
            self.tracking.table(step, key, self._blocked.mask_all(rows))

    def _track_figure(self, step: int, key: str, figure: Any) -> None:
        held = figure.to_plotly_json()
        masked = self._blocked.mask_all(held)
        self.tracking.figure(step, key, figure if masked is held else go.Figure(masked))

    def flush(self) -> None:
        """Write the row of the step that is over."""
        if not self._row:
            return
        row = {STEP: self._step, **self._row}
        self._row = {}
        self._folder.append_metrics(row)
        self._rows += 1
        self.latest |= {key: value for key, value in row.items() if key != STEP}
        self.tracking.log({**row, "attempt": self._folder.run["attempt"]})

    def resume(self, rows: int) -> None:
        """Go back to the first `rows` rows: those that the checkpoint knew."""
        self._folder.truncate_metrics(rows)
        self._row, self._rows, self.latest = {}, rows, {}
        for row in self._folder.read_metrics():
            self.latest |= {key: value for key, value in row.items() if key != STEP}
        self.reasons = dict(self._folder.run.get("reasons", {}))

    def artifacts(self) -> None:
        """The tokenizer and the best checkpoint, as W&B artifacts."""
        folder, id_ = self._folder, self._folder.run["wandb"]["id"]
        facts = {"hash": folder.run["hash"], "folder": str(folder.path)}
        self.tracking.artifact(f"tokenizer-{id_}", "tokenizer", sorted(folder.tokenizer.iterdir()), **facts)
        self.tracking.artifact(f"model-{id_}", "model", [folder.best], **facts)

    def rows(self) -> int:
        """Rows of metrics.jsonl with the one in hand."""
        self.flush()
        return self._rows


@contextlib.contextmanager
def open_sinks(
    folder: RunFolder,
    option: LoggerOption,
    *,
    columns: Mapping[str, Any],
    say: Any,
    tags: Sequence[str] = (),
    blocked: Blocked | None = None,
) -> Iterator[Sinks]:
    """The sinks of a run, closed with its exit code and a summary equal to the metrics of run.json.

    The W&B id is in run.json before anything is logged, and the same for every attempt that reaches it.
    """
    known = folder.run.get("wandb") or {}
    id_ = known.get("id") or secrets.token_hex(4)
    folder.update(wandb={"id": id_})
    group = folder.run.get("study") or folder.path.parent.name
    named = {"id": id_, "name": folder.path.name, "group": group, "config": columns}
    tracking = Tracking(option, folder=folder.path, warn=say, tags=tags, **named)
    where = None if tracking.folder is None else str(tracking.folder)
    folder.update(wandb={"id": tracking.id, "mode": tracking.mode, "folder": where, "sync": tracking.sync_command})
    sinks = Sinks(folder, tracking, blocked)
    code = 0
    try:
        yield sinks
        sinks.flush()
    except BaseException as error:
        code = getattr(error, "exit_code", 130 if isinstance(error, KeyboardInterrupt) else 1)
        raise
    finally:
        tracking.finish(exit_code=code, summary=folder.run.get("metrics") or sinks.latest)
