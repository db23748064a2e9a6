"""A bare table of English words for the probes of words: random rows, or rows with what a test plants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rowspace import answers
from rowspace.metrics.catalogue import find_metric
from rowspace.probes.categories import read_lists
from rowspace.probes.questions import LISTS, read_analogies, read_pairs
from rowspace.probing.base import Subject, Tables
from rowspace.table import TokenTable
from tests.parts import option
from tests.probing.subjects import ignore

PAIRS = read_pairs(LISTS / "pairs.json", "pairs.lists")
SECTIONS = read_analogies(LISTS / "analogies.json", "analogies.lists")
WORDS = list(
    dict.fromkeys(
        [
            *(word for pair in PAIRS for word in pair[:2]),
            *(word for rows in SECTIONS.values() for row in rows for word in row),
            *list(read_lists(None))[:400],
        ]
    )
)
HOSTILE = "<script>alert(1)</script>"
TOKENS = ["<eos>", *(f" {word}" for word in WORDS), HOSTILE, "\x00", *(f" filler{i}" for i in range(600))]
ID = {token: id_ for id_, token in enumerate(TOKENS)}
V, D = len(TOKENS), 24


def rows(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((V, D)).astype(np.float32)


def counts() -> np.ndarray:
    """Words of the lists are mixed with others in frequency."""
    return np.random.default_rng(0).permutation((1e5 / np.arange(1, V + 1)).astype(np.int64) + 30)


def encode(text: str) -> Sequence[int]:
    return [ID.get(text, 0)]


def bare(
    vectors: np.ndarray, *, name: str = "table", U: np.ndarray | None = None, counted: bool = True, **fields: Any
) -> Subject:
    """A table that is no run: E, and U where given."""
    known = counts() if counted else None
    readers = {"E": lambda: TokenTable(vectors, TOKENS, known, frozenset({0}), fields.get("source", {}))}
    if U is not None:
        readers["U"] = lambda: TokenTable(U, TOKENS, known, frozenset({0}))
    truth: Mapping[str, Any] = fields.get("truth", {})
    return Subject(name, name, Tables(readers), "E", fields.get("encode", encode), truth, fields.get("seed", 0), None)


def ask(probe: str, *subjects: Subject, **changes: Any) -> Any:
    return option("probe", probe, **changes).measure(list(subjects), progress=ignore)


def holds(found: Any, folder: Any) -> None:
    """What every answer must be: stored and read back, every number declared and finite, tables square, text plain."""
    for key, value in found.all_numbers().items():
        assert find_metric(key) is not None, key
        assert not isinstance(value, float) or np.isfinite(value), key
    answers.write(folder, "probe", found, {})
    assert answers.read(folder)[0]["sentence"] == found.sentence
    for table in found.shown:
        assert table.rows, table.title
        assert all(len(row) == len(table.head) for row in table.rows), table.title
        assert all(isinstance(cell, str) and "\x00" not in cell for row in table.rows for cell in row)
    for figure in found.figures.values():
        assert figure.layout.meta["caption"]
        assert "<script>" not in figure.to_json()
