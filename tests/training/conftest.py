"""A stand-in for a corpus: a byte tokenizer and the streams of a few lines."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from rowspace.data.stream import TokenStream, open_or_build
from rowspace.tokenization.base import Tokenizer
from tests.parts import option

LINES = [f"{number} foxes jump over {number * 7} dogs".encode() for number in range(9)]


class Corpus(NamedTuple):
    tokenizer: Tokenizer
    stream: TokenStream


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    tokenizer = option("tokenizer", "byte").fit([line.decode() for line in LINES])
    return Corpus(tokenizer, open_or_build(tokenizer, LINES, cache=tmp_path_factory.mktemp("cache")))


@pytest.fixture
def run_path(tmp_path: Path) -> Path:
    (tmp_path / "run.json").write_text('{"hash": "ab", "attempt": 1, "status": "running"}')
    return tmp_path
