"""A small synthetic corpus with its questions, and a run on it that was never trained."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rowspace.data.splitting import split
from rowspace.data.stream import open_or_build
from rowspace.ladder.base import named
from rowspace.preservation.subjects import Ground, prepare
from rowspace.probing.base import RunSubject
from rowspace.table import TokenTable
from rowspace.tokenization.artifact import fit_cached
from tests.parts import option
from tests.probing.subjects import ignore, subject

PROBES = ("association", "pairs", "similarity", "analogies", "senses")
SMALL = {"association": {"tokens": 60, "contexts": 100}, "analogies": {"google": False}, "senses": {"draws": 1000}}


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """150 documents of a known process, a word a token."""
    cache = tmp_path_factory.mktemp("ladder")
    data = option("data", "synthetic", size=150, lexicon="course")
    documents = data.load(cache=cache)
    splits = split(documents, data)
    tokenizer = fit_cached(option("tokenizer", "word", vocab_size=200), splits.fitted_on, cache)
    streams = {name: open_or_build(tokenizer, getattr(splits, name).texts, cache=cache) for name in ("train", "val")}
    questions = {name: option("probe", name, **SMALL.get(name, {})) for name in PROBES}
    how: dict[str, Any] = {"questions": questions, "n_ctx": 32, "seed": 0, "progress": ignore}
    return prepare(tokenizer, streams, truth=documents.truth, **how)


@pytest.fixture(scope="session")
def fit(ground: Ground) -> Callable[..., TokenTable]:
    """The table of a rung at its values in conf/, with changes."""

    def made(name: str, **changes: Any) -> TokenTable:
        tokens, special = named(ground.streams["train"], ground.tokenizer)
        return option("ladder", name, **changes).fit(ground.streams["train"], tokens, special=special).table

    return made


@pytest.fixture(scope="session")
def run(ground: Ground, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., RunSubject]:
    """A run of these words on the ground's text, as probes see it: d 16, two layers, windows of 32."""
    lines = list(ground.streams["train"].texts)

    def made(*words: str) -> RunSubject:
        cache: Path = tmp_path_factory.mktemp("runs")
        return subject(cache, "model.n_ctx=32", *words, lines=lines, tokenizer=ground.tokenizer)

    return made
