"""Where a run's numbers come from: versions, commit, command and data, as they stand in run.json; and the clock."""

from __future__ import annotations

import contextlib
import platform
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import rowspace
from rowspace.data.base import Documents

PACKAGES = ("rowspace", "torch", "pytorch-lightning", "tokenizers", "sentencepiece", "datasets", "wandb", "numpy")


def provenance(command: Sequence[str], documents: Documents, data_name: str) -> dict[str, Any]:
    """Fields of run.json that say what ran on what."""
    return {
        "command": shlex.join(command),
        "versions": versions(),
        "git": git_commit(Path(rowspace.__file__).parent),
        "data": {
            "name": data_name,
            "sha256": documents.sha256,
            "attribution": documents.attribution,
            "notes": list(documents.notes),
            "documents": len(documents.texts),
        },
    }


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
    """Seconds a phase; those of earlier attempts count too."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, its time counted under `name`."""

        def run(*arguments: Any, **named: Any) -> Any:
            with self(name):
                return function(*arguments, **named)

        return run

    def after(self, earlier: dict[str, float]) -> None:
        """Add the seconds of earlier attempts."""
        for name, seconds in earlier.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
