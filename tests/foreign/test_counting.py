"""Counts from a file or from a text, against counts by hand."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from rowspace.errors import ConfigError
from rowspace.foreign.counting import with_counts
from rowspace.foreign.naming import read_names
from rowspace.table import TokenTable
from tests.foreign.conftest import ignore
from tests.foreign.test_naming import TEXT, byte_level

TOKENS = ["the", "king", "new york", "", "never"]
TABLE = TokenTable(np.ones((5, 2), np.float32), TOKENS, source={"format": "x"})
KNOWN = {"the": 9, "king": 4, "new york": 2, "elsewhere": 70, "": 1}


@pytest.mark.parametrize("form", ["json", "lines", "packed", "parquet"])
def test_counts_of_a_file_are_looked_up_by_token(tmp_path: Path, form: str):
    path = tmp_path / ("counts.json" if form == "json" else "counts")
    lines = "".join(f"{token}\t{count}\n" for token, count in KNOWN.items()).encode()
    if form == "parquet":
        columns = {"token": list(KNOWN), "count": list(KNOWN.values()), "id": [0] * 5}
        parquet.write_table(pa.table(columns), path)
    else:
        path.write_bytes({"json": json.dumps(KNOWN).encode(), "lines": lines, "packed": gzip.compress(lines)}[form])
    counted = with_counts(TABLE, path, None, ignore)
    assert counted.counts is not None
    assert counted.counts.tolist() == [9, 4, 2, 1, 0]
    assert "4 of its 5 tokens are in the table; 1 rows have no count" in counted.source["counts"]
    assert counted.source["format"] == "x"


def test_a_text_is_encoded_with_the_tables_tokenizer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = byte_level(tmp_path / "tokenizer.json")
    names = read_names(tmp_path / "tokenizer.json")
    text = "".join(f"{line}\n" for line in TEXT)
    (tmp_path / "corpus.txt").write_text(text)
    V = made.get_vocab_size()
    table = TokenTable(np.ones((V, 2), np.float32), names.of_rows(V, tmp_path)[0])
    monkeypatch.setattr("rowspace.foreign.counting.PIECE", 30)
    counted = with_counts(table, tmp_path / "corpus.txt", names.encode, ignore)
    by_hand = Counter(id_ for line in TEXT for id_ in made.encode(f"{line}\n").ids)
    assert counted.counts is not None
    assert counted.counts.tolist() == [by_hand[id_] for id_ in range(V)]
    assert f"{sum(by_hand.values())} tokens of" in counted.source["counts"]


def test_words_are_counted_as_they_stand_where_there_is_no_tokenizer(tmp_path: Path):
    (tmp_path / "corpus.txt").write_text("the king and\tthe Queen\nthe end.")
    counted = with_counts(TABLE, tmp_path / "corpus.txt", None, ignore)
    assert counted.counts is not None
    assert counted.counts.tolist() == [3, 1, 0, 0, 0]
    assert "7 words of" in counted.source["counts"]
    assert "57% of them are tokens" in counted.source["counts"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("c.json", b'{"the": -1}', "gives each token a whole number >= 0"),
        ("c.json", b'{"the": 1.5}', "gives each token a whole number >= 0"),
        ("c.json", b"{}", "gives each token a whole number >= 0"),
        ("c.json", b'{"the": 1', "is no JSON"),
        ("c", b"the\t3\n" * 60 + b"king\n", "line 61, is 'king'"),
        ("c", b"nothing known here\n", "no token of the table occurs"),
        ("c", b"the \xff\n", r"is no UTF-8 \(byte 0xff at 4\)"),
        ("c", b"", "no token of the table occurs"),
    ],
)
def test_what_gives_no_counts_is_one_sentence(tmp_path: Path, name: str, content: bytes, said: str):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        with_counts(TABLE, tmp_path / name, None, ignore)


def test_a_count_that_no_file_could_hold_is_refused(tmp_path: Path):
    (tmp_path / "c.json").write_text(json.dumps({"the": 2**70}))
    with pytest.raises(ConfigError, match="gives each token a whole number"):
        with_counts(TABLE, tmp_path / "c.json", None, ignore)


@pytest.mark.parametrize("form", ["lines", "parquet"])
def test_counts_beyond_what_a_number_holds_are_refused(tmp_path: Path, form: str):
    path = tmp_path / "counts"
    if form == "lines":
        path.write_text("the\t999999999999999999\n" * 20)
    else:
        parquet.write_table(pa.table({"word": ["the"], "count": pa.array([2**64 - 1], pa.uint64())}), path)
    with pytest.raises(ConfigError, match="add up to more than"):
        with_counts(TABLE, path, None, ignore)
