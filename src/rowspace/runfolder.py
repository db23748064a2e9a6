"""The run folder's format: the one place that writes and reads it.

`outputs/<study>/<slug>-<hash8>/` holds run.json (who runs it, what came out), config.yaml, overrides.yaml,
metrics.jsonl, tables/, figures/, answers/, tokenizer/, checkpoints/ and report.html. Files are written atomically, but
for metrics.jsonl, which grows by a line a logged step and is cut back to the checkpoint's row on resume. Who may write
is settled by `rowspace.claim`. No models, configs or sinks are known here: it stores plain rows and numbers.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.errors import ConfigError, MachineError

FORMAT = 1
"""Version of the format; part of every run's hash."""
STALE_AFTER = 60.0
"""Seconds without a heartbeat after which a running run on another host counts as dead."""
MIXED = "rowspace.mixed"
"""Metadata of a table: its columns that hold more than one type."""
STEP = "trainer/global_step"
"""The key by which rows of metrics.jsonl and W&B are ordered."""


@contextlib.contextmanager
def machine_errors(doing: str, path: Path) -> Iterator[None]:
    """Turn an OSError into a MachineError that says what could not be done, where and why."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise MachineError(f"cannot {doing} {path}: {why}; free space there or choose another folder") from error


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; moved onto `path`, whole and synced, if the block succeeds.

    The temporary file is removed when the block fails, so that nothing half-written stays under any name.
    """
    temporary = path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}.tmp")
    try:
        with machine_errors("write", path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            with open(temporary, "rb+") as written:
                os.fsync(written.fileno())
            os.replace(temporary, path)
            _sync_folder(path.parent)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that readers see the old content or the new, never a part. MachineError when the disk refuses."""
    with atomic_file(path) as temporary:
        temporary.write_bytes(data)


def write_all_atomically(files: Mapping[Path, bytes]) -> None:
    """Write files that belong together: each is moved onto its path once all lie on the disk. MachineError before any
    has changed when the disk refuses one."""
    moves = {path: path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}.tmp") for path in files}
    with contextlib.ExitStack() as staged:
        for path, data in files.items():
            with machine_errors("write", path):
                taken = path if path.is_dir() else next((one for one in path.parents if one.is_file()), None)
                if taken is not None:
                    what = "a folder" if taken == path else "a file"
                    raise MachineError(f"cannot write {path}: {taken} is {what}; move it away or choose another folder")
                path.parent.mkdir(parents=True, exist_ok=True)
                staged.callback(moves[path].unlink, missing_ok=True)
                moves[path].write_bytes(data)
                with open(moves[path], "rb+") as written:
                    os.fsync(written.fileno())
        for path, temporary in moves.items():
            with machine_errors("write", path):
                os.replace(temporary, path)
                _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename durable, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def slug(*parts: object) -> str:
    """A readable name of at most 60 safe characters: `slug("bpe8192", "d256", "rope")` -> `bpe8192_d256_rope`."""
    text = "_".join(re.sub(r"[^A-Za-z0-9.]+", "-", str(part)).strip("-.") for part in parts)
    return re.sub(r"\.{2,}", ".", text)[:60].strip("-_.") or "run"


class RunFolder:
    """One run on disk. Opening it needs run.json; only the holder of the claim writes.

    `run` is run.json as a dict: status, host, heartbeat, attempt, hash, metrics, reasons, audit, phases, cost, ...
    """

    def __init__(self, path: Path) -> None:
        self.path, self._lock = Path(path), threading.RLock()
        file = self.path / "run.json"
        try:
            if file.exists() and not file.is_file():
                raise OSError("it is no regular file")
            self.run: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise ConfigError(f"{self.path} is no run folder (it has no run.json); see outputs/") from None
        except (OSError, ValueError, RecursionError) as error:
            raise MachineError(f"{file} cannot be read: {error}; move the folder away and train again") from error
        if not isinstance(self.run, dict):
            raise MachineError(f"{file} does not say how a run went; move the folder away and train again")

    # ---------------------------------------------------------------- run.json
    def update(self, **fields: Any) -> None:
        """Set fields of run.json. A mapping is merged key by key into the one that is there."""
        with self._lock:
            for key, value in fields.items():
                old = self.run.get(key)
                merge = isinstance(old, dict) and isinstance(value, Mapping)
                self.run[key] = {**old, **value} if merge else value  # type: ignore[dict-item]
            text = json.dumps(self.run, indent=1, ensure_ascii=False, allow_nan=False, sort_keys=True)
            write_atomically(self.path / "run.json", text.encode())

    def beat(self) -> None:
        """Say that this run is alive."""
        self.update(heartbeat=time.time())

    def write_text(self, name: str, text: str) -> Path:
        """Write a small text file of the folder (config.yaml, overrides.yaml, report.html)."""
        write_atomically(self.path / name, text.encode())
        return self.path / name

    # ----------------------------------------------------------- metrics.jsonl
    @property
    def metrics_file(self) -> Path:
        return self.path / "metrics.jsonl"

    def append_metrics(self, row: Mapping[str, Any]) -> None:
        """Add one row; numbers are finite or null. The line reaches the system before this returns."""
        line = json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
        with machine_errors("append to", self.metrics_file), open(self.metrics_file, "a", encoding="utf-8") as file:
            file.write(line)

    def read_metrics(self) -> list[dict[str, Any]]:
        """The rows in the order of their steps; a last line that a kill cut short is left out."""
        with contextlib.suppress(FileNotFoundError):
            lines = self.metrics_file.read_bytes().split(b"\n")[:-1]
            try:
                return [json.loads(line) for line in lines]
            except (ValueError, RecursionError) as error:
                raise MachineError(f"{self.metrics_file} is damaged: {error}; rerun=true trains anew") from error
        return []

    def truncate_metrics(self, rows: int) -> None:
        """Keep the first `rows` rows: what a checkpoint knew. MachineError when there are fewer."""
        whole = self.metrics_file.read_bytes() if self.metrics_file.exists() else b""
        lines = whole.split(b"\n")[:-1]
        if len(lines) < rows:
            raise MachineError(f"{self.metrics_file} has {len(lines)} rows where the checkpoint saw {rows}")
        kept = b"".join(line + b"\n" for line in lines[:rows])
        if kept != whole:
            write_atomically(self.metrics_file, kept)

    # -------------------------------------------------------- tables, figures
    def write_table(self, name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
        """tables/<name>.parquet: the rows of the latest evaluation. A column of mixed types is kept as JSON text."""
        import pyarrow
        from pyarrow import parquet

        path = self._named("tables", name, ".parquet")
        columns = {key: [row.get(key) for row in rows] for key in dict.fromkeys(key for row in rows for key in row)}
        mixed = [key for key, values in columns.items() if _is_mixed(values)]
        for key in mixed:
            columns[key] = [json.dumps(value, allow_nan=False) for value in columns[key]]
        table = pyarrow.table(columns).replace_schema_metadata({MIXED: json.dumps(mixed)})
        with atomic_file(path) as temporary:
            parquet.write_table(table, temporary)
        return path

    def read_table(self, name: str) -> list[dict[str, Any]]:
        """Rows of a table, as they were written; none where it never was."""
        import pyarrow
        from pyarrow import parquet

        path = self._named("tables", name, ".parquet")
        if not path.exists():
            return []
        try:
            table = parquet.ParquetFile(path).read()
            mixed = json.loads((table.schema.metadata or {}).get(MIXED.encode(), b"[]"))
            return [{**row, **{key: json.loads(row[key]) for key in mixed}} for row in table.to_pylist()]
        except (OSError, ValueError, TypeError, KeyError, RecursionError, pyarrow.ArrowException) as error:
            raise MachineError(f"{path} is damaged: {error}") from error

    def write_figure(self, name: str, figure: Any) -> Path:
        """figures/<name>.json: a Plotly figure (anything with `to_json`)."""
        path = self._named("figures", name, ".json")
        write_atomically(path, figure.to_json().encode())
        return path

    def _named(self, folder: str, name: str, suffix: str) -> Path:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}", name):
            raise ValueError(f"{name!r} is no name of a file in {folder}/: letters, digits, _ and - only")
        return self.path / folder / f"{name}{suffix}"

    @property
    def tokenizer(self) -> Path:
        return self.path / "tokenizer"

    @property
    def answers(self) -> Path:
        """What the probes that watched the run found."""
        return self.path / "answers"

    @property
    def last(self) -> Path:
        return self.path / "checkpoints" / "last.ckpt"

    @property
    def best(self) -> Path:
        return self.path / "checkpoints" / "best.ckpt"


def _is_mixed(values: Sequence[Any]) -> bool:
    """Whether a column holds more than one type; whole numbers among others are numbers."""
    return len({float if type(value) is int else type(value) for value in values if value is not None}) > 1


def point_latest(outputs: Path, run: Path) -> None:
    """`outputs/latest` -> the newest run, where the file system has symbolic links."""
    temporary = outputs / f".latest.{secrets.token_hex(4)}"
    with contextlib.suppress(OSError):
        temporary.symlink_to(os.path.relpath(run, outputs), target_is_directory=True)
        os.replace(temporary, outputs / "latest")
    temporary.unlink(missing_ok=True)
