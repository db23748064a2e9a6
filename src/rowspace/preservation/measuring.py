"""The ladder from text to matrix: fit a rung, put the tests to it, let go of it, and the next."""

from __future__ import annotations

import importlib.metadata
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.data.base import DataOption, Documents, Progress
from rowspace.data.cache import cache_root
from rowspace.data.corpora import Corpora
from rowspace.data.splitting import Splits
from rowspace.data.stream import open_or_build
from rowspace.figures.frontier import draw_frontier
from rowspace.ladder.base import Rung, RungOption, named
from rowspace.preservation.base import Line, Matrix
from rowspace.preservation.chapters import Chapters
from rowspace.preservation.columns import TESTS
from rowspace.preservation.lines import in_chapter_order, run_lines, table_line
from rowspace.preservation.subjects import Ground, prepare
from rowspace.probing.base import ProbeOption, RunSubject, labels
from rowspace.tablefile import write_table
from rowspace.tokenization.artifact import fit_cached
from rowspace.tokenization.base import Tokenizer, TokenizerOption
from rowspace.tokenization.frontier import find_frontier

WINDOW = 64
"""Tokens of a text of the order and sense tests, where no run says how many it reads."""
LARGEST_FILE = 1 << 26
"""Bytes of a table that is kept as a file; a larger one is made again as fast as it is read."""
LIBRARIES = ("rowspace", "numpy", "scipy", "scikit-learn", "gensim", "torch", "tokenizers")


@dataclass(frozen=True, eq=False)
class LadderText:
    """The text of a ladder, read and split, and its tokenizer."""

    documents: Documents
    splits: Splits
    tokenizer: Tokenizer
    data_name: str

    @property
    def data_sha256(self) -> str:
        return self.documents.sha256

    @property
    def tokenizer_sha256(self) -> str:
        return self.tokenizer.sha256

    @property
    def tokenizer_name(self) -> str:
        return f"{self.tokenizer.name}{self.tokenizer.vocab_size}"


def read_text(data: DataOption, tokenizer: TokenizerOption, corpora: Corpora | None, progress: Progress) -> LadderText:
    """Read, split and fit as a run of these options does. ConfigError and MachineError as there."""
    documents, splits = (corpora or Corpora()).read(data, cache=cache_root(), progress=progress)
    fitted = fit_cached(tokenizer, splits.fitted_on, cache_root(), progress)
    return LadderText(documents, splits, fitted, data.name)


def measure(
    rungs: Mapping[str, RungOption],
    text: LadderText,
    runs: Sequence[RunSubject],
    questions: Mapping[str, ProbeOption],
    folder: Path,
    *,
    seed: int,
    progress: Progress,
    say: Callable[[str], None],
) -> tuple[Matrix, dict[str, Any]]:
    """Every rung's lines, and the chapters' figures by name. Tables of the rungs are written as
    tables/NAME.safetensors of the folder as they are made."""
    ground = _ground(text, runs, questions, seed, progress)
    chapters = Chapters(ground)
    lines: list[Line] = []
    seconds: dict[str, dict[str, float]] = {}
    steps = len(rungs) + len(runs)
    for number, (key, option) in enumerate(rungs.items()):
        progress(f"rung {key}", number, steps)
        began = time.monotonic()
        fitted = _fit(option, ground, seed)
        made = time.monotonic()
        if (note := _keep(folder, key, fitted)) is not None:
            say(note)
        label = str(fitted.table.source.get("table") or key)
        chapters.see_rung(option.name, label, fitted)
        lines.append(table_line(ground, key, fitted.table, name=option.name, adds=option.adds, label=label))
        seconds[key] = {"fitted": made - began, "measured": time.monotonic() - made}
    named_runs = {f"run{number}": one for number, one in enumerate(runs)}
    said = dict(zip(named_runs, labels(runs, "body"), strict=True)) if runs else {}
    for number, key in enumerate(in_chapter_order(named_runs)):
        progress(f"run {said[key]}", len(rungs) + number, steps)
        began = time.monotonic()
        chapters.see_run(said[key], named_runs[key])
        lines += run_lines(ground, named_runs[key], key, said[key])
        seconds[key] = {"measured": time.monotonic() - began}
    return Matrix(lines, TESTS, _about(text, ground, runs, seconds)), chapters.draw()


def draw_closure(
    kinds: Sequence[TokenizerOption], text: LadderText, sizes: Sequence[int], progress: Progress
) -> dict[str, Any]:
    """The figure of closure against length, over kinds of tokenizers and V; none where the text leaves nothing over."""
    held_out = text.splits.val.texts
    if not len(held_out):
        return {}
    rows = find_frontier(kinds, text.splits.fitted_on, held_out, sizes=sizes, progress=progress)
    return {"closure_and_length": draw_frontier(rows)}


def _ground(
    text: LadderText,
    runs: Sequence[RunSubject],
    questions: Mapping[str, ProbeOption],
    seed: int,
    progress: Progress,
) -> Ground:
    """Streams, counts and questions, the same for all."""
    streams = {
        name: open_or_build(text.tokenizer, getattr(text.splits, name).texts, cache=cache_root(), progress=progress)
        for name in ("train", "val")
    }
    return prepare(
        text.tokenizer,
        streams,
        truth=text.documents.truth,
        questions=questions,
        n_ctx=min((one.config.model.n_ctx for one in runs), default=WINDOW),
        seed=seed,
        progress=progress,
    )


def _fit(option: RungOption, ground: Ground, seed: int) -> Rung:
    tokens, special = named(ground.streams["train"], ground.tokenizer)
    library = logging.getLogger("gensim")  # tells every epoch
    level = library.level
    library.setLevel(logging.WARNING)
    try:
        return option.fit(ground.streams["train"], tokens, special=special, seed=seed, progress=ground.progress)
    finally:
        library.setLevel(level)


def _keep(folder: Path, key: str, fitted: Rung) -> str | None:
    """Write the table, and that of contexts beside it; what is said where one is too large to be worth a file."""
    for name, table in {key: fitted.table, f"{key}_contexts": fitted.others.get("contexts")}.items():
        if table is None:
            continue
        held = np.count_nonzero(table.vectors)
        size = min(4 * table.vectors.size, 8 * held)
        if size > LARGEST_FILE:
            return f"{name}: its table of {table.V:,} x {table.d:,} is not kept ({size / 1e6:,.0f} MB)"
        write_table(folder / "tables" / f"{name}.safetensors", table)
    return None


def _about(
    text: LadderText, ground: Ground, runs: Sequence[RunSubject], seconds: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    stream = ground.streams["train"]
    return {
        "data": {
            "name": text.data_name,
            "sha256": text.documents.sha256,
            "attribution": text.documents.attribution,
            "notes": list(text.documents.notes),
            "tokens": int(stream.N),
            "documents": int(stream.D),
            "bytes": int(stream.bytes),
        },
        "tokenizer": {"name": text.tokenizer_name, "sha256": text.tokenizer.sha256, "V": text.tokenizer.vocab_size},
        "stream": stream.sha256,
        "seen": int(np.count_nonzero(ground.groups > 0)),
        "runs": [{"name": one.name, "path": one.path, "step": one.step} for one in runs],
        "exchanged": [[pair.text, pair.other] for pair in ground.pairs[:4]],
        "seconds": {key: {name: round(took, 2) for name, took in one.items()} for key, one in seconds.items()},
        "versions": {name: version for name in LIBRARIES if (version := _version(name)) is not None},
    }


def _version(library: str) -> str | None:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return None
