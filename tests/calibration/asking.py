"""Every probe asked of every arm of a cell: a noise level and a seed. What comes back is plain and is kept as JSON.

Arms, each of a counted table and of a trained run:

    planted     the corpus's own table; the run trained on it
    untrained   rows drawn at random; the run before its first step
    permuted    the planted table with its rows dealt to other tokens; of the run E and the head's bias alike, while U
                and the body stay as they are
    shuffled    table and run of the corpus whose words were dealt over all sentences
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.answers import Findings
from rowspace.probing.base import Subject, Tables
from rowspace.table import TokenTable
from tests.calibration import exact, runs
from tests.calibration.corpora import HOMOGRAPHS, Corpus, find_senses, write_corpora, write_grammar
from tests.calibration.tables import D, counted, dealt, table_of
from tests.parts import option

ARMS = ("planted", "untrained", "permuted", "shuffled")
OF_TABLES = ("pairs", "neighbours", "analogies", "similarity", "undertrained", "alignment")
OF_RUNS = ("pairs", "neighbours", "analogies", "similarity", "undertrained", "association", "alignment", "head")
OF_MODELS = ("senses", "cloze", "length")
Cell = dict[str, Any]
"""`truth` {key: number}, and of each "table/planted", "run/shuffled", ... the scores by key, as `Score.record`."""


def ask_cell(cache: Path, *, noise: float, seed: int) -> Cell:
    """Train, count, and ask everything."""
    corpus, shuffled = write_corpora(cache, noise=noise, seed=seed)
    process = write_grammar(noise).process
    rated = exact.rate(write_grammar(0.0).process, corpus.truth["classes"])
    asker = _Asker(cache, rated, find_senses(corpus.truth["classes"]))
    truth = exact.read_truth(process, corpus.truth, rated)
    truth["probe/head/inverse"] = float((corpus.counts > 0)[corpus.tokenizer.unk_id :].mean())
    found: Cell = {"truth": {key: value if math.isfinite(value) else None for key, value in truth.items()}}
    for arm, (table, of) in _tables(corpus, shuffled).items():
        found[f"table/{arm}"] = asker.ask_table(table, of, counted(corpus))
    for arm, run in _runs(corpus, shuffled, seed=10 * seed + round(10 * noise)).items():
        found[f"run/{arm}"] = asker.ask_run(run, corpus)
    return found


def _tables(corpus: Corpus, shuffled: Corpus) -> dict[str, tuple[TokenTable, Corpus]]:
    own, V = counted(corpus), corpus.tokenizer.vocab_size
    drawn = np.random.default_rng((corpus.seed, round(100 * corpus.noise), 13)).standard_normal((V, D))
    return {
        "planted": (own, corpus),
        "untrained": (table_of(drawn.astype(np.float32), corpus, "drawn"), corpus),
        "permuted": (table_of(own.vectors[dealt(corpus)], corpus, "permuted"), corpus),
        "shuffled": (counted(shuffled), shuffled),
    }


def _runs(corpus: Corpus, shuffled: Corpus, *, seed: int) -> dict[str, Any]:
    config, model = runs.train(corpus, seed)
    other, knows_nothing = runs.train(shuffled, seed + 1000)
    return {
        "planted": runs.subject(corpus, config, model),
        "untrained": runs.subject(corpus, config, runs.start(config).eval()),
        "permuted": runs.subject(corpus, config, runs.deal_rows(model, dealt(corpus))),
        "shuffled": runs.subject(shuffled, other, knows_nothing),
    }


@dataclasses.dataclass(frozen=True)
class _Asker:
    """The questions, as files where a probe takes a file."""

    folder: Path
    rated: exact.Rated
    senses: Mapping[str, Any]

    def ask_table(self, table: TokenTable, corpus: Corpus, known: TokenTable) -> dict[str, Any]:
        """A table beside that of exact PMI; as E beside a head that answers the rows of `known` with their tokens."""
        subject, beside = self._bare(corpus, E=table), self._bare(corpus, E=exact_table(corpus))
        found: dict[str, Any] = {}
        for probe in OF_TABLES:
            found |= self._scores(probe, [subject, beside] if probe == "alignment" else [subject])
        norms = np.linalg.norm(known.vectors, axis=1, keepdims=True)
        mirrored = table_of(known.vectors / np.where(norms > 0, norms, 1), corpus, "U")
        return found | self._scores("head", [self._bare(corpus, E=table, U=mirrored)])

    def ask_run(self, run: Any, corpus: Corpus) -> dict[str, Any]:
        """A run, with the senses of the suite's own homographs."""
        found: dict[str, Any] = {}
        for probe in (*OF_RUNS, *OF_MODELS):
            found |= self._scores(probe, [run], corpus)
        return found

    def _scores(self, probe: str, subjects: list[Any], corpus: Corpus | None = None) -> dict[str, Any]:
        answer = self._option(probe).measure(subjects, progress=lambda *_: None)
        found = {score.key: score.record() for score in answer.scores}
        if probe == "length" and corpus is not None:
            found["length"] = read_length(answer, corpus)
        return found

    def _option(self, probe: str) -> Any:
        changes: dict[str, Any] = {}
        if probe == "similarity":
            path = self.folder / "ratings.tsv"
            path.write_text("".join(f"{one}\t{other}\t{rating}\n" for one, other, rating in self.rated))
            changes = {"ratings": str(path), "resamples": 100}
        if probe == "senses":
            path = self.folder / "senses.json"
            path.write_text(json.dumps(self.senses))
            changes = {"lists": str(path)}
        if probe == "neighbours":
            changes = {"draws": 100}
        if probe == "length":
            changes = {"factors": [1], "max_tokens": 4000, "scalings": [], "resamples": 100, "scaled": {}}
        return option("probe", probe, **changes)

    def _bare(self, corpus: Corpus, **tables: TokenTable) -> Subject:
        readers = {name: (lambda table=table: table) for name, table in tables.items()}
        return Subject("here", "here", Tables(readers), "E", corpus.tokenizer.encode, corpus.truth, corpus.seed, None)


def exact_table(corpus: Corpus) -> TokenTable:
    """The table of exact PMI with the tokens of a corpus; zeros for what no process writes."""
    made = exact.constructed(write_grammar(corpus.noise).process, window=exact.WINDOW, d=D, documents=1)
    rows = np.zeros((corpus.tokenizer.vocab_size, D), dtype=np.float32)
    for word, row in zip(made.tokens, made.vectors, strict=True):
        for spelled in (word, f" {word}"):
            for id_ in corpus.tokenizer.encode(spelled):
                rows[id_] = row
    rows[[i for i, token in enumerate(corpus.tokenizer.vocabulary) if token.strip() in (*HOMOGRAPHS, "<unk>")]] = 0
    return table_of(rows, corpus, "exact")


def read_length(answer: Findings, corpus: Corpus) -> dict[str, float]:
    """Nats a token in sliding windows of the trained length, and the floor of the same documents."""
    (row,) = [one for one in answer.rows["length"] if (one["windows"], one["factor"]) == ("sliding", 1)]
    floor = float(corpus.nats["test"][: row["documents"]].sum()) / row["tokens"]
    return {"loss": float(row["loss"]), "floor": floor, "tokens": float(row["tokens"])}
