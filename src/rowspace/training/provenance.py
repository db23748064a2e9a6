"""Where a run's numbers come from: versions, commit, command and data, as they stand in run.json; and the clock."""

from __future__ import annotations

import contextlib
import platform
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import rowspace
from rowspace.data.base import Documents
from rowspace.runfolder import RunFolder

Result = TypeVar("Result")
PACKAGES = ("rowspace", "torch", "pytorch-lightning", "tokenizers", "sentencepiece", "datasets", "wandb", "numpy")


def provenance(
    folder: RunFolder, command: Sequence[str], documents: Documents, *, data_name: str, warn: Callable[[str], None]
) -> None:
    """Write into run.json what runs on what; warn where an earlier attempt ran on other versions."""
    facts = {"versions": versions(), "git": git_commit(Path(rowspace.__file__).parent)}
    changed = changes(folder.run, facts)
    if changed:
        warn(changed)
    data = {
        "name": data_name,
        "sha256": documents.sha256,
        "attribution": documents.attribution,
        "notes": list(documents.notes),
        "documents": len(documents.texts),
        "bytes": sum(map(len, documents.texts)),
    }
    folder.update(command=shlex.join(command), data=data, **facts)


def versions() -> dict[str, str]:
    """Installed versions of what decides a run's numbers."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def git_commit(folder: Path) -> str | None:
    """Commit of the source tree, with `+` where it has changes; None outside a repository."""
    try:
        told = ["git", "-C", str(folder), "describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*"]
        return subprocess.run(told, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None


def changes(before: dict[str, Any], now: dict[str, Any]) -> str | None:
    """A sentence about what is another version than at the run's last attempt, or None."""
    old, new = before.get("versions", {}), now["versions"]
    changed = [f"{name} {old[name]} -> {new.get(name)}" for name in sorted(old) if old[name] != new.get(name)]
    if before.get("git") and before["git"] != now["git"]:
        changed.append(f"source {before['git'][:8]} -> {str(now['git'])[:8]}")
    return f"this run began with other versions ({', '.join(changed)}); its numbers may differ" if changed else None


class Phases:
    """Seconds a phase. A phase within another is not counted in the outer one, so that they add up.

    `begins(name)` hears which phase the run is in, at its begin and when one within it is over.
    """

    def __init__(self, begins: Callable[[str], None] = lambda name: None) -> None:
        self.seconds: dict[str, float] = {}
        self._begins = begins
        self._inner: list[float] = []
        self._names = [""]

    @contextlib.contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        self._inner.append(0.0)
        self._names.append(name)
        try:
            self._begins(name)
            yield
        finally:
            self._names.pop()
            took = time.perf_counter() - began
            self.seconds[name] = self.seconds.get(name, 0.0) + took - self._inner.pop()
            if self._inner:
                self._inner[-1] += took
        self._begins(self._names[-1])

    def timed(self, name: str, function: Callable[[], Result]) -> Callable[[], Result]:
        """The function, its time counted under `name`."""

        def run() -> Result:
            with self(name):
                return function()

        return run

    def with_earlier(self, earlier: Mapping[str, float]) -> dict[str, float]:
        """These seconds and those of the run's earlier attempts."""
        names = dict.fromkeys([*earlier, *self.seconds])
        return {name: earlier.get(name, 0.0) + self.seconds.get(name, 0.0) for name in names}
