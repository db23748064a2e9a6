"""A NumPy array beside its vocabulary: mapped, never unpickled, and exactly as long."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from rowspace.errors import ConfigError, MachineError
from tests.foreign.conftest import vectors

TOKENS = ["a", "b c", "<script>", "\u202e"]


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.txt"
    path.write_text("\n".join(TOKENS) + "\n")
    return path


def stored(array: np.ndarray, **more) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **more)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["<f4", "<f2", "<f8", ">f4", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_float_in_any_order(read, words, kind, order):
    rows = np.asarray(vectors(4).astype(np.float16), dtype=kind, order=order)
    table = read(stored(rows), vocabulary=words)
    assert table.vectors.dtype == np.float32
    assert table.vectors.dtype.isnative
    np.testing.assert_array_equal(table.vectors, rows.astype(np.float32))
    assert list(table.tokens) == TOKENS


def test_float32_stays_on_the_disk_and_the_file_as_it_is(read, words, tmp_path):
    path = tmp_path / "vectors.npy"
    np.save(path, vectors(4))
    table = read(path, vocabulary=words)
    assert isinstance(table.vectors, np.memmap)
    table.vectors[:] = 0
    np.testing.assert_array_equal(np.load(path), vectors(4))


def test_without_a_vocabulary_or_with_a_wrong_one_it_is_refused(read, words):
    with pytest.raises(ConfigError, match="vectors without their tokens; name the file that has them: vocabulary=PATH"):
        read(stored(vectors(4)))
    for V in (3, 5):
        with pytest.raises(
            ConfigError, match=f"has {V} rows and .*words.txt names 4; give the vocabulary of this very"
        ):
            read(stored(vectors(V)), vocabulary=words)


@pytest.mark.parametrize(
    "array", [np.zeros(4, "f4"), np.zeros((4, 2), "i4"), np.zeros((4, 2, 1), "f4"), np.zeros((4, 2), "c8")]
)
def test_what_is_no_matrix_of_floats_is_refused(read, words, array):
    with pytest.raises(ConfigError, match="a table is \\(V, d\\) of float16, float32, float64"):
        read(stored(array), vocabulary=words)


def test_an_array_of_objects_is_never_unpickled(read, words):
    bomb = np.empty((4, 2), dtype=object)
    with pytest.raises(ConfigError, match="holds an array of object"):
        read(stored(bomb, allow_pickle=True), vocabulary=words)


@pytest.mark.parametrize(
    "shape", ["(4, -3)", "(-4, 3)", "(1152921504606846976, 3)", "(4, 1152921504606846976)", "(4, 4)", "(4, True)"]
)
def test_a_header_that_lies_allocates_nothing(read, words, shape):
    honest = stored(vectors(4))
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    with pytest.raises(MachineError, match="fetch it again"):
        read(honest[:8] + len(header).to_bytes(2, "little") + header + honest[128:], vocabulary=words)


@pytest.mark.parametrize("kept", [7, 20, 100, 130, -1])
def test_a_file_that_was_cut_is_refused(read, words, kept):
    with pytest.raises((MachineError, ConfigError)):
        read(stored(vectors(4))[:kept], vocabulary=words)


def test_an_empty_array_and_one_row_are_no_tables(read, tmp_path):
    (tmp_path / "one").write_text("a\n")
    with pytest.raises(ConfigError, match="a table of 1 rows"):
        read(stored(vectors(1)), vocabulary=tmp_path / "one")
    with pytest.raises(ConfigError, match="at least 2 rows"):
        read(stored(np.zeros((0, 3), "f4")), vocabulary=tmp_path / "one")


def test_rows_with_nan_are_refused_and_the_first_is_named(read, words):
    rows = vectors(4)
    rows[2, 1], rows[3, 0] = np.nan, np.inf
    with pytest.raises(ConfigError, match=r"2 of 4 rows .* the first is row 2 \(<script>\)"):
        read(stored(rows), vocabulary=words)
