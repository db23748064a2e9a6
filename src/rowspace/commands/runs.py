"""`rowspace runs`: what outputs hold, and how to get rid of it. Lists; `delete=` and `prune=cache` act at once.

A run is deleted where it is surely one: a real folder inside the outputs given, with a run.json and nothing that no run
writes, and nobody runs it. What is used of the cache is said in `data/freeing.py`. Trains and measures nothing.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from rowspace.claim import HeldError, status
from rowspace.compare.history import number
from rowspace.compare.reading import find_runs
from rowspace.config import Call
from rowspace.config import load as load_config
from rowspace.data.freeing import Entry, damage, entries, read_field, remove, size_of
from rowspace.errors import ConfigError, MachineError, Problem
from rowspace.registry import Option
from rowspace.runfolder import RunFolder
from rowspace.terminal import Terminal

OUTPUTS = Path("outputs")
Text = Annotated[str, Field(min_length=1)]
WRITTEN = frozenset(
    {"answers", "checkpoints", "config.yaml", "figures", "lock", "metrics.jsonl", "overrides.yaml", "probe.html"}
    | {"probes", "report.html", "run.json", "tables", "tokenizer", "trace.html", "train.log", "wandb"}
)
"""What a run, and the commands that read one, write into its folder."""

BESIDE = {
    "sweep": "the records of the jobs of its sweeps",
    ".submitit": "the logs of jobs that SLURM ran",
    ".sweep": "the records of sweeps that make no runs",
}
"""What sweeps leave beside runs."""


class Runs(Option):
    """Where to look, and what to remove."""

    path: Text
    """The folder that holds the runs."""
    delete: Text | list[Text]
    """Folders of runs to delete."""
    prune: Literal["cache"] | None
    """cache: remove what no run uses of the cache, and what is damaged in it."""


def load(plain: Mapping[str, Any]) -> Runs:
    """The typed config of the command; ConfigError with every problem at once."""
    return load_config(plain, Runs)


def run(config: Runs, call: Call) -> None:
    """Delete, prune, or list. ConfigError for what may not be deleted, MachineError for what somebody runs."""
    del call
    terminal, root = Terminal(), Path(config.path)
    if not root.is_dir():
        raise ConfigError(Problem("path", f"there is no folder {config.path}", "give the folder that holds the runs"))
    chosen = [config.delete] if isinstance(config.delete, str) else config.delete
    if chosen:
        delete(root, chosen, terminal)
    if config.prune:
        prune(root, terminal)
    if not chosen and not config.prune:
        show(root, terminal)


def show(root: Path, terminal: Terminal) -> None:
    """Every run below `root`, study by study, the oldest first, and what pruning the cache would free."""
    rows, total = [], 0
    for path in sorted(find_runs(root)):
        size = size_of(path)
        total += size
        rows.append((path.parent, *_standing(path), path, size))
    rows.sort(key=lambda row: (str(row[0]), row[1]))
    cells = [
        [str(path.relative_to(root) if path != root else path), said, result, _size(size), _age(started)]
        for _, started, said, result, path, size in rows
    ]
    terminal.table(f"runs of {root}", ["run", "status", "result", "size", "age"], cells)
    terminal.show(f"{len(rows)} run{'s' * (len(rows) != 1)}, {_size(total)}")
    for name, what in BESIDE.items():
        for path in sorted({root / name, *root.glob(f"*/{name}")}):
            if path.is_dir() and not path.is_symlink() and next(find_runs(path), None) is None:
                terminal.show(f"beside them: {path}, {what}, {_size(size_of(path))}")
    found = list(_entries(root))
    idle = [entry for entry in found if not entry.used]
    if found:
        sizes = [_size(sum(size_of(entry.path) for entry in some)) for some in (found, idle)]
        cached = f"cache: {len(found)} entries, {sizes[0]}; {len(idle)} of them, {sizes[1]}, are used by no run"
        terminal.show(cached + (": rowspace runs prune=cache removes these" if idle else ""))


def delete(root: Path, words: Sequence[str], terminal: Terminal) -> None:
    """Delete these runs; nothing at all where one of them may not be."""
    problems, held = [], []
    chosen: dict[Path, RunFolder] = {}
    for word in words:
        try:
            path = refuse_strangers(root, word)
            chosen[path] = RunFolder(path)
            if status(chosen[path]) == "running":
                held.append(f"{path} is being run by {chosen[path].run.get('host')}; stop it first")
        except ConfigError as error:
            problems.append(Problem("delete", f"{word!r} was given", str(error)))
    if problems:
        raise ConfigError.of(problems)
    if held:
        raise HeldError("\n".join(held))
    for path in chosen:
        size = size_of(path)
        remove(path, path / "lock", "it was claimed just now; stop that run first")
        terminal.show(f"deleted {path}: {_size(size)} freed")
    _forget(root, chosen)
    studies = sorted({path.parent for path in chosen if (path.parent / "compare.html").exists()})
    for study in studies:
        terminal.show(f"{study / 'compare.html'} still shows what was deleted; rowspace compare {study} writes it anew")


def refuse_strangers(root: Path, word: str) -> Path:
    """The run's folder, as `root` leads to it; `word` may leave `root` out. ConfigError says what it is instead."""
    given = Path(word)
    below = next((given.relative_to(one) for one in (root, root.absolute()) if given.is_relative_to(one)), given)
    if below.is_absolute() or ".." in below.parts or not below.parts:
        raise ConfigError(f"a run inside {root}, without '..'")
    path = root
    for part in below.parts:
        path = path / part
        if path.is_symlink():
            raise ConfigError(f"{path} is a link to {path.readlink()}; name the folder itself")
    if not (path / "run.json").is_file() or (path / "run.json").is_symlink():
        raise ConfigError(f"{path} is no run folder (it has no run.json of its own); rowspace runs {root} lists runs")
    strangers = [
        entry.name for entry in path.iterdir() if entry.name not in WRITTEN and not entry.name.endswith(".tmp")
    ]
    if strangers:
        raise ConfigError(f"{path} holds {sorted(strangers)[0]}, which no run writes; move that away first")
    return path


def prune(root: Path, terminal: Terminal) -> None:
    """Remove what no run below `root` or outputs uses of the cache, and damaged entries; what is being built stays."""
    freed = kept = 0
    for entry in _entries(root):
        if entry.used and not damage(entry):
            continue
        size = size_of(entry.path)
        try:
            remove(entry.path, entry.lock, "somebody builds it")
        except HeldError:
            kept += 1
            continue
        freed += size
        why = "damaged" if entry.used else entry.why
        terminal.show(f"removed {entry.kind} {entry.path.name[:20]}, {why}: {_size(size)}")
    busy = f"; {kept} that are being built were left" if kept else ""
    terminal.show(f"{_size(freed)} freed{busy}")


def _entries(root: Path) -> Iterator[Entry]:
    """The cache, and what of it runs below `root` or outputs use; what is removed meanwhile is seen."""
    from rowspace.data.cache import cache_root

    runs = {run.resolve() for one in {root, OUTPUTS} if one.is_dir() for run in find_runs(one)}
    return entries(cache_root(), [run / "tokenizer" for run in runs])


def _forget(root: Path, deleted: Mapping[Path, Any]) -> None:
    """Links and records that named what was deleted, and studies that are empty now."""
    for link in {root / "latest", OUTPUTS / "latest"}:
        if link.is_symlink() and not link.exists():
            link.unlink()
    for path in deleted:
        for record in (path.parent / "sweep").glob("*.json"):
            if read_field(record, "folder") == path.name:
                record.unlink()
        with contextlib.suppress(OSError):  # it is not empty
            path.parent.rmdir()


def _standing(path: Path) -> tuple[float, str, str]:
    """When a run began, how it stands, and its result in words."""
    try:
        folder = RunFolder(path)
    except (ConfigError, MachineError):
        return 0.0, "damaged", "-"
    metrics = folder.run.get("metrics")
    found = [
        (key, metrics.get(key) if isinstance(metrics, dict) else None)
        for key in ("test/bpb", "val/bpb", "test/loss", "val/loss")
    ]
    numbers = ((key, number(value)) for key, value in found)
    result = next((f"{key} {value:.4f}" for key, value in numbers if value is not None), "-")
    return number(folder.run.get("started")) or 0.0, status(folder), result


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def _age(started: float) -> str:
    seconds = max(0.0, time.time() - started)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}" if started else "-"
    return f"{seconds:.0f} s"
