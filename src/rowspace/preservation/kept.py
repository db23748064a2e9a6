"""What makes a ladder another ladder, and the one that is on disk already. Imports no torch.

A ladder's hash is of its settings, its text, its tokenizer and the runs beside it: their own hashes and the very file
of their weights.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from rowspace.errors import ConfigError, MachineError, Problem
from rowspace.runfolder import RunFolder, slug

FORMAT = 1
FILE = "matrix.json"
LARGEST = 1 << 26
"""Bytes of a matrix.json."""


class Named(Protocol):
    """A text and a tokenizer by their hashes."""

    @property
    def data_sha256(self) -> str: ...
    @property
    def tokenizer_sha256(self) -> str: ...
    @property
    def tokenizer_name(self) -> str: ...


@dataclass(frozen=True)
class KnownRun:
    """A run as its folder names it."""

    path: Path
    hash: str
    weights: str
    """sha256 of the checkpoint."""
    data: str | None
    tokenizer: str

    def refuse_other(self, text: Named) -> None:
        """ConfigError where the run's text or tokenizer is not the ladder's."""
        if self.data is not None and self.data != text.data_sha256:
            right = "the text that the run was trained on; its files have changed since, or are others"
            raise ConfigError(Problem("runs", f"{self.path} was trained on another text than data gives now", right))
        if self.tokenizer != text.tokenizer_sha256:
            right = "a run with the ladder's tokenizer, or the tokenizer of the run"
            raise ConfigError(
                Problem(
                    "runs", f"{self.path} has tokenizer {self.tokenizer[:8]}, not {text.tokenizer_sha256[:8]}", right
                )
            )


def know_run(path: Path, weights: Literal["best", "last"]) -> KnownRun:
    """What names a run. ConfigError where it is none or has no such checkpoint, MachineError where it is damaged."""
    from rowspace.tokenization import artifact

    folder = RunFolder(path)
    file = folder.best if weights == "best" else folder.last
    try:
        with file.open("rb") as held:
            digest = hashlib.file_digest(held, "sha256").hexdigest()
    except OSError as error:
        right = "a run that kept its checkpoints"
        raise ConfigError(Problem("runs", f"{file} cannot be read ({error.strerror})", right)) from error
    data = folder.run.get("data")
    sha256 = data.get("sha256") if isinstance(data, Mapping) else None
    tokenizer = artifact.load(folder.tokenizer).sha256
    return KnownRun(path, str(folder.run.get("hash")), digest, sha256, tokenizer)


def full_hash(identity: Mapping[str, Any], text: Named, runs: Sequence[KnownRun]) -> str:
    """sha256 of everything that decides the cells."""
    parts = {
        "config": dict(identity),
        "data": text.data_sha256,
        "tokenizer": text.tokenizer_sha256,
        "runs": [[one.hash, one.weights] for one in runs],
        "format": FORMAT,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, allow_nan=False).encode()).hexdigest()


@contextlib.contextmanager
def taken_back(tables: Path) -> Iterator[None]:
    """Where the block fails, the table files that it wrote are removed, and the folders that this leaves empty; none
    where the folder holds a whole ladder, which another process may have finished meanwhile."""
    before = set(tables.glob("*"))
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            done = (tables.parent / FILE).exists()
            for path in set() if done else set(tables.glob("*.safetensors")) - before:
                path.unlink()
            tables.rmdir()
            tables.parent.rmdir()
        raise


def name_of(data: str, text: Named, full: str) -> str:
    """The folder's own name."""
    return f"{slug(data, text.tokenizer_name)}-{full[:8]}"


def refuse_run_folder(folder: Path) -> None:
    """ConfigError where the folder asked for is that of a trained run, whose tables would be mixed with these."""
    if (folder / "run.json").is_file():
        raise ConfigError(Problem("hydra.run.dir", f"{folder} holds a trained run", "a folder of the ladder's own"))


def known(folder: Path, full: str) -> dict[str, Any] | None:
    """The matrix of this very ladder, where the folder holds it whole. MachineError where its file is damaged,
    ConfigError where it is of another ladder."""
    file = folder / FILE
    if not file.exists():
        return None
    again = "move the folder away, or give rerun=true"
    try:
        if not file.is_file() or file.stat().st_size > LARGEST:
            raise ValueError("it is none of ours")
        record = json.loads(file.read_text(encoding="utf-8"))
        found = record["about"]["hash"]
        lines, tests = record["lines"], record["tests"]
        whole = record["format"] == FORMAT and all(test["key"] in line["cells"] for line in lines for test in tests)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        why = " ".join(str(error).split())[:200]
        raise MachineError(f"{file} is damaged ({why or type(error).__name__}); {again}") from error
    if found != full or not whole:
        raise ConfigError(f"{file} is of another ladder or version than this one; {again}, or choose another folder")
    return record
