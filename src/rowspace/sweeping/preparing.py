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


@dataclass(frozen=True)
class Made:
    """What text and tokenizer are, as far as a run's hash and name ask."""

    data: str
    tokenizer: str
    vocab_size: int


def prepare(points: Sequence[Point], corpora: Corpora, terminal: Terminal) -> Prepared:
    """Read, fit and find. What the machine refuses here (a network, a disk) is left to the job that meets it again."""
    found = Prepared()
    ordered = sorted(points, key=lambda point: (_key(point.config.data), -(point.config.tokenizer.vocab_size or 0)))
    fits = {_fit(point) for point in points}
    made: dict[tuple[str, str], Made | ConfigError | None] = {}
    for point in ordered:
        if (fit := _fit(point)) not in made:
            if len(fits) > 1:
                tokenizer = point.config.tokenizer
                size = f" V={tokenizer.vocab_size}" if tokenizer.vocab_size else ""
                terminal.progress(f"tokenizers before the first job: {tokenizer.name}{size}", len(made), len(fits))
            made[fit] = _make(point, corpora, terminal)
        known = made[fit]
        if isinstance(known, ConfigError):
            found.unfit.append((point, known.problems))
        elif known is not None and (folder := _finished(point, known)) is not None:
            found.finished[point.id] = folder
    terminal.clear()
    return found


def _make(point: Point, corpora: Corpora, terminal: Terminal) -> Made | ConfigError | None:
    """Text and tokenizer of a point, which are in the cache or in memory afterwards."""
    config, cache = point.config, cache_root()
    try:
        documents, splits = corpora.read(config.data, cache=cache, progress=terminal.progress)
        tokenizer = fit_cached(config.tokenizer, splits.fitted_on, cache, terminal.progress)
    except ConfigError as error:
        return error
    except (MachineError, OSError):
        return None
    return Made(documents.sha256, tokenizer.sha256, tokenizer.vocab_size)


def _finished(point: Point, made: Made) -> RunFolder | None:
    """The point's run folder, if there is nothing left to do in it."""
    config = point.config
    if config.rerun or config.trainer.continue_from is not None:
        return None
    full = run_hash(identity(config), data=made.data, tokenizer=made.tokenizer, source=None)
    path = point.study / run_name(config, full, vocab_size=made.vocab_size)
    if not (path / "report.html").exists():
        return None
    try:
        folder = RunFolder(path)
    except (ConfigError, MachineError):
        return None
    return folder if folder.run.get("hash") == full and folder.run.get("status") == "finished" else None


def _fit(point: Point) -> tuple[str, str]:
    return _key(point.config.data), _key(point.config.tokenizer)


def _key(option: Any) -> str:
    return json.dumps(option.model_dump(mode="json"), sort_keys=True)
