"""Before the first job: texts are read and tokenizers fitted once, and runs that are finished are found.

The largest V is fitted first: smaller ones of a kind that allows it are cut from it (`tokenization.artifact`). Text and
tokenizer are half of a run's hash, so that a point whose run folder is finished needs no job at all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rowspace.config import identity
from rowspace.data.cache import cache_root
from rowspace.data.corpora import Corpora
from rowspace.errors import ConfigError, MachineError, Problem
from rowspace.runfolder import RunFolder
from rowspace.sweeping.grid import Point
from rowspace.terminal import Terminal
from rowspace.tokenization.artifact import fit_cached
from rowspace.training.naming import run_hash, run_name


@dataclass
class Prepared:
    """`unfit` points with what only the text could show of them; run folders of points that are `finished`, by id."""

    unfit: list[tuple[Point, Sequence[Problem | str]]] = field(default_factory=list)
    finished: dict[str, RunFolder] = field(default_factory=dict)


def prepare(points: Sequence[Point], corpora: Corpora, terminal: Terminal) -> Prepared:
    """Read, fit and find. What the machine refuses here (a network, a disk) is left to the job that meets it again."""
    found = Prepared()
    ordered = sorted(points, key=lambda point: (_key(point.config.data), -(point.config.tokenizer.vocab_size or 0)))
    fits = {(_key(point.config.data), _key(point.config.tokenizer)) for point in points}
    done: set[tuple[str, str]] = set()
    for point in ordered:
        config = point.config
        key = _key(config.data), _key(config.tokenizer)
        if key not in done and len(fits) > 1:
            size = f" V={config.tokenizer.vocab_size}" if config.tokenizer.vocab_size else ""
            terminal.progress(f"tokenizers before the first job: {config.tokenizer.name}{size}", len(done), len(fits))
        done.add(key)
        try:
            folder = _finished(point, corpora, terminal)
        except ConfigError as error:
            found.unfit.append((point, error.problems))
        except (MachineError, OSError):
            continue
        else:
            if folder is not None:
                found.finished[point.id] = folder
    terminal.clear()
    return found


def _finished(point: Point, corpora: Corpora, terminal: Terminal) -> RunFolder | None:
    """The point's run folder, if there is nothing left to do in it; text and tokenizer are there afterwards."""
    config, cache = point.config, cache_root()
    documents, splits = corpora.read(config.data, cache=cache, progress=terminal.progress)
    tokenizer = fit_cached(config.tokenizer, splits.fitted_on, cache, terminal.progress)
    if config.rerun or config.trainer.continue_from is not None:
        return None
    full = run_hash(identity(config), data=documents.sha256, tokenizer=tokenizer.sha256, source=None)
    path = point.study / run_name(config, full, vocab_size=tokenizer.vocab_size)
    if not (path / "report.html").exists():
        return None
    folder = RunFolder(path)
    return folder if folder.run.get("hash") == full and folder.run.get("status") == "finished" else None


def _key(option: Any) -> str:
    return json.dumps(option.model_dump(mode="json"), sort_keys=True)
