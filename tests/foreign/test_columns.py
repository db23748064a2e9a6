"""Parquet: lists or columns of floats beside a column of tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from rowspace.errors import ConfigError, MachineError
from tests.foreign.conftest import ODD, vectors


def written(path: Path, **columns) -> Path:
    parquet.write_table(pa.table(columns), path, row_group_size=5)
    return path


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.float32()), pa.list_(pa.float64()), pa.large_list(pa.float32()), pa.list_(pa.float32(), 3)]
)
def test_lists_of_floats_are_vectors(read, tmp_path, monkeypatch, kind):
    monkeypatch.setattr("rowspace.foreign.columns.ROWS", 4)
    rows = vectors()
    path = written(tmp_path / "t", word=ODD, n=list(range(len(ODD))), vector=pa.array(rows.tolist(), kind))
    table = read(path)
    assert list(table.tokens) == ODD
    np.testing.assert_array_equal(table.vectors, rows)
    assert table.source["vectors"] == "vector"


def test_columns_of_floats_are_vectors(read, tmp_path):
    rows = vectors()
    path = written(tmp_path / "t", word=pa.array(ODD).dictionary_encode(), x=rows[:, 0], y=rows[:, 1], z=rows[:, 2])
    table = read(path)
    assert list(table.tokens) == ODD
    np.testing.assert_array_equal(table.vectors, rows)


def test_several_columns_of_lists_are_several_tables(read, tmp_path):
    rows = vectors()
    path = written(tmp_path / "t", word=ODD, E=rows.tolist(), U=(2 * rows).tolist())
    np.testing.assert_array_equal(read(path).vectors, rows)
    np.testing.assert_array_equal(read(path, table="U").vectors, 2 * rows)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"a": [1.0, 2.0]}, "has the columns a \\(double\\); a table has one of strings"),
        ({"a": ["x", "y"], "n": [1, 2]}, "a table has one of strings"),
        ({"a": ["x", "y"], "v": [[1.0], [1.0, 2.0]]}, "the lists of the column v are not of one length"),
        ({"a": ["x", "y"], "v": [[1.0], None]}, "the column v is null in row 1"),
        ({"a": ["x", "y"], "v": [[1.0], [None]]}, "lists of the column v hold nulls"),
        ({"a": ["x", None], "v": [[1.0], [2.0]]}, "1 rows of the column a are null"),
        ({"a": ["x", "y"], "v": pa.array([[], []], pa.list_(pa.float32()))}, "not of one length|0 columns"),
        ({"a": pa.array([], pa.string()), "v": pa.array([], pa.list_(pa.float32()))}, "has no rows"),
    ],
)
def test_what_is_no_table_is_one_sentence(read, tmp_path, columns, said):
    with pytest.raises(ConfigError, match=said):
        read(written(tmp_path / "t", **columns))


@pytest.mark.parametrize("kept", [6, 200, -9])
def test_a_file_that_was_cut_is_refused(read, tmp_path, kept):
    whole = written(tmp_path / "t", word=ODD, v=vectors().tolist()).read_bytes()
    with pytest.raises(MachineError, match="is no whole parquet file"):
        read(whole[:kept])


def test_two_columns_of_one_name_are_refused(read, tmp_path):
    made = pa.table([["a", "b"], [1.0, 2.0], [3.0, 4.0]], names=["word", "x", "x"])
    parquet.write_table(made, tmp_path / "t")
    with pytest.raises(ConfigError, match=r"has several columns called .*x.*; give each a name of its own"):
        read(tmp_path / "t")
