"""What a path is to a probe: a run with its tables and text, or a table that somebody else trained.

Opens and hands over; asks nothing. Text is read when a probe first asks for it, and once for runs of one corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import torch

from rowspace.data.base import Documents
from rowspace.data.cache import cache_root
from rowspace.data.splitting import Splits, split
from rowspace.data.stream import open_or_build
from rowspace.errors import ConfigError, Problem, closest
from rowspace.foreign.counting import with_counts
from rowspace.foreign.opening import open_foreign
from rowspace.probing.asking import contents_of
from rowspace.probing.base import RunSubject, Subject, Tables
from rowspace.probing.mean_states import mean_states
from rowspace.restore import Restored, restore
from rowspace.runfolder import slug
from rowspace.table import TokenTable
from rowspace.terminal import Terminal
from rowspace.training.starting import begin

FACTS = ("table", "file", "format", "rows", "columns", "run", "step")
"""What the first words of a sentence about a table say already."""


@dataclass(frozen=True, eq=False)
class Named:
    """Files that say more of a table than its own file does: the names of its rows, a tokenizer, counts."""

    vocabulary: Path | None = None
    tokenizer: Path | None = None
    counts: Path | None = None

    def given(self) -> list[str]:
        return [name for name in ("vocabulary", "tokenizer", "counts") if getattr(self, name) is not None]


@dataclass(eq=False)
class Corpora:
    """Texts of runs, each read once."""

    terminal: Terminal
    _read: dict[str, Documents] = field(default_factory=dict)
    _split: dict[str, Splits] = field(default_factory=dict)

    def documents(self, restored: Restored) -> Documents:
        """The run's text. ConfigError where it is gone, or is no longer the text of the run."""
        data, folder = restored.config.data, restored.folder
        key = data.model_dump_json()
        if key not in self._read:
            try:
                documents = data.load(cache=cache_root(), progress=self.terminal.progress)
            except ConfigError as error:
                raise ConfigError(f"{folder.path}: the text of this run cannot be read any more: {error}") from error
            known = (folder.run.get("data") or {}).get("sha256")
            if known is not None and documents.sha256 != known:
                right = "put the text back that it was trained on"
                raise ConfigError(
                    f"{folder.path}: data={data.name} holds another text than at the time of the run; {right}"
                )
            self._read[key] = documents
        return self._read[key]

    def truth(self, restored: Restored) -> Mapping[str, Any]:
        """What the corpus knows of its words; nothing, and a note, where its text is not that of the run any more."""
        try:
            return self.documents(restored).truth
        except ConfigError as error:
            self.terminal.say(f"{error}. What the corpus knew of its words is not known any more.")
            return {}

    def splits(self, restored: Restored) -> Splits:
        """The run's text, split as in training."""
        key = restored.config.data.model_dump_json()
        if key not in self._split:
            self._split[key] = split(self.documents(restored), restored.config.data)
        return self._split[key]


class Truth(Mapping[str, Any]):
    """What a synthetic corpus knows of its words, read when it is first asked for; nothing where the text is gone."""

    def __init__(self, read: Callable[[], Mapping[str, Any]]) -> None:
        self._read = read
        self._held: Mapping[str, Any] | None = None

    def _known(self) -> Mapping[str, Any]:
        if self._held is None:
            self._held = self._read()
        return self._held

    def __getitem__(self, key: str) -> Any:
        return self._known()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())


def is_run(path: Path) -> bool:
    """Whether a path is a run's folder."""
    return (path / "run.json").exists()


@dataclass(frozen=True)
class Wanted:
    """Which table of a path: the one of this name, or what the path itself means by its table. `needed`: no other."""

    name: str | None = None
    needed: bool = True

    def of(self, tables: Mapping[str, TokenTable], own: str | None, path: Path) -> str:
        """The name. ConfigError where none of that name is there, or where the path holds several as likely."""
        if self.name is not None and self.name in tables:
            return self.name
        if self.name is not None and self.needed:
            raise ConfigError(Problem("table", f"{self.name!r} was given", f"of {path} {closest(self.name, tables)}"))
        if own is None:
            raise ConfigError(Problem("table", f"{path} holds several tables", f"name one: {', '.join(tables)}"))
        return own


def open_run(
    path: Path, *, wanted: Wanted, weights: Literal["best", "last"], corpora: Corpora
) -> tuple[RunSubject, Restored]:
    """A run as its probes see it. ConfigError where it has no such table, MachineError where it is damaged."""
    restored = restore(path, weights)
    config = restored.config

    def stream(split_: str) -> Any:
        texts = getattr(corpora.splits(restored), split_).texts
        return open_or_build(restored.tokenizer, texts, cache=cache_root(), progress=corpora.terminal.progress)

    def initial() -> Any:
        return begin(config, restored.tokenizer).eval()

    tables = _tables_of_run(restored, stream, corpora.terminal)
    if wanted.name == "U" and wanted.needed and "U" not in tables:
        raise ConfigError(Problem("table", "U was given", f"E: the output head of {path} is tied to it"))
    subject = RunSubject(
        path=str(restored.folder.path),
        name=restored.folder.path.resolve().name,
        tables=tables,
        chosen=wanted.of(tables, "E", path),
        encode=restored.tokenizer.encode,
        truth=Truth(lambda: corpora.truth(restored)) if config.data.knows_truth else {},
        seed=config.stream_seed("probe"),
        config=config,
        tokenizer=restored.tokenizer,
        model=restored.model,
        step=restored.step,
        counts=restored.table("E").counts,
        stream=stream,
        initial=initial,
    )
    return subject, restored


def _tables_of_run(restored: Restored, stream: Callable[[str], Any], terminal: Terminal) -> Tables:
    """E, U where it is untied, and every layer's mean states over validation text, where a layer reads one text."""
    config, model = restored.config, restored.model
    readers: dict[str, Callable[[], TokenTable]] = {"E": lambda: restored.table("E")}
    if not model.tied:
        readers["U"] = lambda: restored.table("U")

    def reader(layer: int) -> Callable[[], TokenTable]:
        return lambda: mean_states(
            restored.table("E"),
            layer,
            stream=stream("val"),
            n_ctx=config.model.n_ctx,
            isolated=config.data.documents == "isolated",
            states=lambda batch: model.states(batch.ids, batch.positions, batch.segments),
            progress=terminal.progress,
        )

    if config.body.sees != "source and past":
        with torch.no_grad():
            layers = len(model.states(torch.zeros((1, 1), dtype=torch.int64)))
        readers |= {f"layer{layer}": reader(layer) for layer in range(layers)}
    return Tables(readers)


def open_table(path: Path, *, wanted: Wanted, named: Named, seed: int, terminal: Terminal) -> Subject:
    """A table that somebody else trained. ConfigError where the path holds none that is read, or none of that name."""
    run = path.parent.parent
    if path.suffix == ".ckpt" and is_run(run):
        raise ConfigError(f"{path} is a checkpoint of the run {run}; give that folder, and weights=best or last")
    found = open_foreign(path, vocabulary=named.vocabulary, tokenizer=named.tokenizer, progress=terminal.progress)
    chosen = wanted.of(found.tables, found.chosen, path)
    vectors, counts = found.tables[chosen], named.counts
    tables = {name: (lambda name=name: found.tables[name]) for name in found.tables}
    if counts is not None:
        vectors = with_counts(vectors, counts, found.encode, terminal.progress)
        known, said = vectors.counts, vectors.source["counts"]
        tables = {name: (lambda name=name: _counted(found.tables[name], known, said)) for name in found.tables}
    return Subject(
        path=str(path),
        name=path.resolve().name,
        tables=Tables(tables),
        chosen=chosen,
        encode=found.encode,
        truth={},
        seed=seed,
        step=None,
    )


def _counted(table: TokenTable, counts: Any, said: str) -> TokenTable:
    """Another table of the same tokens with the same counts."""
    if counts is None or len(counts) != table.V:
        return table
    return replace(table, counts=counts, source={**table.source, "counts": said})


def folder_of(subject: Subject) -> Path:
    """outputs/probes/<name>-<hash8>, by the content of the table: it has one folder wherever it lies."""
    return Path("outputs", "probes", f"{slug(subject.name)}-{contents_of(subject)[:8]}")


def describe(subject: Subject) -> str:
    """A sentence or two about the table that is asked: what it is, where from, what is odd, and its counts or none."""
    table = subject.table
    of = table.source.get("format", f"step {subject.step}")
    facts = [f"{key}: {value}" for key, value in table.source.items() if key not in FACTS]
    if "counts" not in table.source:
        facts.append(f"counts: {'none' if table.counts is None else 'of training'}")
    return f"{subject.chosen} of {subject.path} ({of}): {table.V:,} rows of {table.d:,} numbers. {'; '.join(facts)}."
