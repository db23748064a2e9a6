"""Our own table files as somebody's table: tokens, counts and history are there without any other file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rowspace.errors import ConfigError, MachineError
from rowspace.foreign.opening import open_foreign
from rowspace.table import TokenTable
from rowspace.tablefile import write_table
from tests.parts import option

from .conftest import ignore

TEXTS = ["the cat sat on the mat", "a dog sat on a log", "the dog and the cat"] * 3


@pytest.fixture
def path(tmp_path: Path) -> Path:
    table = TokenTable(
        np.arange(8, dtype=np.float32).reshape(4, 2),
        ["<eos>", "cat", "dog", "pet"],
        np.array([3, 2, 2, 1]),
        frozenset({0}),
        {"table": "LSA", "exponent": "1", "file": "somewhere else"},
    )
    return write_table(tmp_path / "lsa.safetensors", table)


def test_a_table_of_ours_needs_no_vocabulary(path: Path) -> None:
    found = open_foreign(path, progress=ignore)
    table = found.tables[found.chosen or ""]
    assert (found.format, list(found.tables), found.encode) == ("rowspace table", ["vectors"], None)
    assert table.tokens == ["<eos>", "cat", "dog", "pet"]
    assert table.vectors.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert table.counts is not None
    assert table.counts.tolist() == [3, 2, 2, 1]
    assert table.special == {0}
    assert table.source["exponent"] == "1"
    assert table.source["file"] == str(path)
    assert "counts" in table.source


def test_a_vocabulary_beside_it_is_refused(path: Path, tmp_path: Path) -> None:
    (tmp_path / "words.json").write_text(json.dumps(["a", "b", "c", "d"]))
    with pytest.raises(ConfigError, match="names its tokens itself; leave out vocabulary"):
        open_foreign(path, vocabulary=tmp_path / "words.json", progress=ignore)


def test_the_tokenizer_of_its_text_finds_words_of_several_pieces(tmp_path: Path) -> None:
    tokenizer = option("tokenizer", "bpe", vocab_size=270).fit(TEXTS)
    tokenizer.save(tmp_path)
    vectors = np.ones((tokenizer.vocab_size, 2), dtype=np.float32)
    path = write_table(tmp_path / "own", TokenTable(vectors, tokenizer.vocabulary))
    found = open_foreign(path, tokenizer=tmp_path / "tokenizer.json", progress=ignore)
    assert found.encode is not None
    assert found.encode("the cat") == tokenizer.encode("the cat")
    assert found.tables["vectors"].tokens == tokenizer.vocabulary


def test_another_tokenizer_is_refused(path: Path, tmp_path: Path) -> None:
    option("tokenizer", "bpe", vocab_size=270).fit(TEXTS).save(tmp_path)
    with pytest.raises(ConfigError, match="is not that of"):
        _ = open_foreign(path, tokenizer=tmp_path / "tokenizer.json", progress=ignore).tables["vectors"]


def test_a_damaged_table_of_ours_is_said_to_be_damaged(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(MachineError, match="is damaged"):
        _ = open_foreign(path, progress=ignore).tables["vectors"]
