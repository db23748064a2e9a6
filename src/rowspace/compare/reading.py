"""Run folders -> Ran. Whatever cannot be read, or is not finished, is set apart with the reason and stops nothing.

Reads run.json, config.yaml and the validated rows of metrics.jsonl, and no weights. Knows no option by name: what turns
a plain configuration into typed, flat settings is handed in. A folder whose files have not changed is not read twice.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rowspace.claim import status
from rowspace.compare.base import Apart, Ran
from rowspace.compare.history import mapping, number, read_curve
from rowspace.errors import ConfigError, RowspaceError
from rowspace.runfolder import RunFolder
from rowspace.textfile import yaml_of

Settings = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""A plain configuration -> flat typed settings by full key. ConfigError where it is none of this version's."""
DEPTH = 3
"""Levels of folders below a path in which runs are looked for: outputs/, a study, a run."""
LARGEST = {"run.json": 64 << 20, "config.yaml": 1 << 20, "metrics.jsonl": 1 << 30}
"""Bytes of a file beyond which it is nothing that a run wrote."""
READ = tuple(LARGEST)
RUNNING = "it is running still"
COSTS = ("parameters", "tokens_seen", "bytes_seen", "steps", "seconds", "peak_memory_bytes")


class Reader:
    """Reads run folders and remembers them until their files change. `settings` types a plain configuration."""

    def __init__(self, settings: Settings) -> None:
        self.said: set[str] = set()
        """Problems with pages of these runs that somebody was told already."""
        self._settings = settings
        self._read: dict[Path, tuple[tuple[Any, ...], Ran | Apart]] = {}
        self._sections: dict[str, Any] = {}

    def read(self, paths: Sequence[Path]) -> tuple[list[Ran], list[Apart]]:
        """Every run in or below the paths, in the order of their names. ConfigError for a path that holds none."""
        folders: dict[Path, None] = {}
        for path in paths:
            below = sorted(find_runs(path))
            if not below:
                raise ConfigError(f"{path}: {'no run stands in it' if path.exists() else 'there is no such folder'}")
            folders |= dict.fromkeys(one.resolve() for one in below)
        found = told_apart([self._of(folder) for folder in folders])
        return [one for one in found if isinstance(one, Ran)], [one for one in found if isinstance(one, Apart)]

    def _of(self, path: Path) -> Ran | Apart:
        stamp = _stamp(path)
        known = self._read.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        found = self._fresh(path)
        if isinstance(found, Ran) or found.reason != RUNNING:  # a dead run's files do not change
            self._read[path] = stamp, found
        return found

    def _fresh(self, path: Path) -> Ran | Apart:
        try:
            return self._ran(path)
        except RowspaceError as error:
            return Apart(path.name, path, " ".join(str(error).split())[:400])
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            said = " ".join(str(error).split())
            if isinstance(error, OSError) and error.filename is not None:
                said = f"{Path(str(error.filename)).name}: {error.strerror}"
            return Apart(path.name, path, f"its folder is damaged ({type(error).__name__}: {said})"[:400])

    def _ran(self, path: Path) -> Ran | Apart:
        for name in READ:
            _refuse_what_is_no_file(path / name)
        folder = RunFolder(path)
        settings = dict(self._settings(_config(path / "config.yaml", self._sections)))
        run = folder.run
        said = status(folder)
        if said != "finished":
            return Apart(path.name, path, _unfinished(said, run), settings)
        cost = _cost(run)
        if settings.get("tokenizer.vocab_size", 0) is None:
            settings["tokenizer.vocab_size"] = _vocabulary(run, settings)
        metrics, reasons = _metrics(run)
        return Ran(
            path=path,
            name=path.name,
            status=said,
            settings=settings,
            metrics=metrics,
            reasons=reasons,
            audit={str(key): str(value) for key, value in mapping(run, "audit").items()},
            cost=cost,
            text=str(mapping(run, "data")["sha256"]),
            curve=tuple(read_curve(path / "metrics.jsonl", run, cost)),
            scored_bytes=_whole(mapping(run, "scored_bytes")),
        )


def told_apart(found: Sequence[Ran | Apart]) -> list[Ran | Apart]:
    """Runs of one name in several studies have that of their study in front, or else their whole path."""
    names = {one.path: one.name for one in found}
    for longer in (lambda path: f"{path.parent.name}/{path.name}", str):
        often = Counter(names.values())
        names = {path: longer(path) if often[name] > 1 else name for path, name in names.items()}
    return [one if one.name == names[one.path] else replace(one, name=names[one.path]) for one in found]


def find_runs(path: Path, depth: int = DEPTH) -> Iterator[Path]:
    """Run folders at or below a path; links and hidden folders are not followed."""
    try:
        found = (path / "run.json").exists()
    except OSError:  # a folder that nobody may look into may be a run: whoever reads it says why not
        found = True
    if found:
        yield path
        return
    if depth == 0:
        return
    try:
        inside = [entry for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for entry in inside:
        if not entry.name.startswith("."):
            yield from find_runs(Path(entry.path), depth - 1)


def _stamp(path: Path) -> tuple[Any, ...]:
    """What changes when a file of the run does."""

    def of(name: str) -> tuple[int, ...]:
        try:
            found = os.stat(path / name)
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino

    return tuple(of(name) for name in READ)


def _refuse_what_is_no_file(file: Path) -> None:
    """Reading a pipe waits for ever. OSError for what is no regular file, or too large to be a run's."""
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise ValueError(f"{file.name} is no file")
    if found.st_size > LARGEST[file.name]:
        raise ValueError(f"{file.name} has {found.st_size:,} bytes, which no run writes")


def _config(file: Path, known: dict[str, Any]) -> Mapping[str, Any]:
    """The plain configuration. `known` keeps what each section's text stands for: most are alike in every run."""
    text = file.read_text(encoding="utf-8")
    sections = re.split(r"^(?=[A-Za-z_])", text, flags=re.M)
    if sections[0].strip():  # not as a run writes it
        sections = [text]
    plain: dict[str, Any] = {}
    for section in sections:
        if section not in known:
            known[section] = yaml_of(section)
        if not isinstance(known[section], dict | None):
            raise ValueError("config.yaml holds no configuration")
        plain |= known[section] or {}
    return {str(key): value for key, value in plain.items()}


def _unfinished(said: str, run: Mapping[str, Any]) -> str:
    error = " ".join(str(run.get("error") or "").split())[:200]
    if said == "running":
        return RUNNING
    if said == "interrupted":
        return "it was interrupted; the same command takes it up where it was"
    return f"it {said}: {error}" if error else f"it {said}"


def _metrics(run: Mapping[str, Any]) -> tuple[dict[str, float | None], dict[str, str]]:
    given = mapping(run, "metrics")
    metrics = {str(key): number(value) for key, value in given.items()}
    reasons = {str(key): str(value) for key, value in mapping(run, "reasons").items()}
    odd = {key: "run.json holds no finite number there" for key, value in given.items() if value is not None}
    return metrics, {key: odd[key] for key in odd if metrics[key] is None} | reasons


def _cost(run: Mapping[str, Any]) -> dict[str, float | None]:
    spent = mapping(run, "cost")
    cost = {key.removesuffix("_seen"): number(spent.get(key)) for key in COSTS}
    a_step, steps = number(spent.get("flops_per_step")), cost["steps"]
    return {**cost, "flops": a_step * steps if a_step is not None and steps is not None else None}


def _vocabulary(run: Mapping[str, Any], settings: Mapping[str, Any]) -> int | None:
    """V as obtained: of the uniform floor, ln V."""
    floor = number(mapping(run, "floors").get("uniform_loss"))
    return None if floor is None or floor > 30 else round(math.exp(floor))


def _whole(given: Mapping[str, Any]) -> dict[str, int]:
    return {str(key): value for key, value in given.items() if type(value) is int}
