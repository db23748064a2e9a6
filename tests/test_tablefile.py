"""Tables come back as they were written, and a file that lies is refused before anything is made of it."""

from __future__ import annotations

import json
import resource
import signal
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from rowspace.errors import ConfigError, MachineError
from rowspace.table import TokenTable
from rowspace.tablefile import KEY, digest, is_table_file, read_table, shape_of, write_table

TOKENS = ["<eos>", " caf\u00e9", "\0", '"', "\ud800 lone", ""]


def table(vectors: np.ndarray | None = None) -> TokenTable:
    drawn = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
    held = drawn if vectors is None else vectors
    return TokenTable(held, TOKENS, np.arange(6), frozenset({0}), {"table": "lsa", "weight": "x"})


def lies(path: Path, changes: dict | None = None, without: tuple[str, ...] = (), **about: object) -> Path:
    """A file that says something else than it holds."""
    held = {
        "vectors": np.ones((2, 2), dtype=np.float32),
        "tokens": np.frombuffer(b'["a", "b"]', dtype=np.uint8),
        "special": np.zeros(0, dtype=np.int64),
        **(changes or {}),
    }
    kept = {name: value for name, value in held.items() if name not in without}
    save_file(kept, path, {KEY: json.dumps({"format": 1, "shape": [2, 2], "source": {}, **about})})
    return path


@pytest.mark.parametrize("vectors", [None, np.eye(6, dtype=np.float32), np.zeros((6, 2), dtype=np.float32)])
def test_a_table_comes_back_as_it_was(tmp_path: Path, vectors) -> None:
    written = table(vectors)
    found = read_table(write_table(tmp_path / "a.safetensors", written))
    assert found.vectors.tobytes() == written.vectors.tobytes()
    assert found.vectors.shape == written.vectors.shape == shape_of(tmp_path / "a.safetensors")
    assert list(found.tokens) == TOKENS
    assert found.counts is not None
    assert found.counts.tolist() == [0, 1, 2, 3, 4, 5]
    assert (found.special, dict(found.source)) == ({0}, {"table": "lsa", "weight": "x"})
    assert is_table_file(tmp_path / "a.safetensors")


def test_a_table_without_counts_has_none(tmp_path: Path) -> None:
    write_table(tmp_path / "a", TokenTable(np.ones((2, 1), dtype=np.float32), ["a", "b"]))
    assert read_table(tmp_path / "a").counts is None


def test_one_hot_rows_take_little_and_the_same_table_the_same_bytes(tmp_path: Path) -> None:
    large = TokenTable(np.eye(1000, dtype=np.float32), [str(id_) for id_ in range(1000)])
    for name in ("a", "b"):
        write_table(tmp_path / name, large)
    assert (tmp_path / "a").stat().st_size < 50_000
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert digest(tmp_path / "a") == digest(tmp_path / "b")


def test_numbers_that_are_none_are_neither_written_nor_read(tmp_path: Path) -> None:
    bad = np.full((2, 2), np.nan, dtype=np.float32)
    with pytest.raises(ValueError, match="not written"):
        write_table(tmp_path / "a", TokenTable(bad, ["a", "b"]))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConfigError, match="holds NaN or infinite numbers"):
        read_table(lies(tmp_path / "a", {"vectors": bad}))


@pytest.mark.parametrize(
    ("changes", "error", "why"),
    [
        ({"changes": {"vectors": np.ones((3, 2), dtype=np.float32)}}, MachineError, "another shape than its header"),
        ({"changes": {"tokens": np.frombuffer(b'["a"]', dtype=np.uint8)}}, MachineError, "does not name its 2 rows"),
        ({"changes": {"tokens": np.frombuffer(b"[1, 2]", dtype=np.uint8)}}, MachineError, "does not name its 2 rows"),
        ({"changes": {"tokens": np.frombuffer(b"\xff", dtype=np.uint8)}}, MachineError, "is damaged"),
        ({"changes": {"counts": np.array([-1, 2])}}, MachineError, "do not count its 2 rows"),
        ({"changes": {"counts": np.array([1])}}, MachineError, "do not count its 2 rows"),
        ({"changes": {"special": np.array([2])}}, MachineError, "are none of its 2 rows"),
        ({"without": ("tokens",)}, MachineError, "is damaged"),
        ({"without": ("vectors",)}, MachineError, "is damaged"),
        ({"format": 2}, ConfigError, "has format 2, this version reads 1"),
        ({"shape": [2]}, MachineError, "gives no shape"),
        ({"shape": [-2, 2]}, MachineError, "gives no shape"),
        ({"shape": [1 << 20, 1 << 20]}, ConfigError, "at most 2,147,483,648 are read"),
        ({"source": []}, ConfigError, "no table that rowspace ladder wrote"),
    ],
)
def test_a_file_that_lies_is_refused(tmp_path: Path, changes, error, why) -> None:
    with pytest.raises(error, match=why):
        read_table(lies(tmp_path / "a", **changes))


@pytest.mark.parametrize(
    ("values", "columns", "ends", "why"),
    [([1.0], [0], [0, 2], "do not fit"), ([1.0], [5], [0, 1], "beyond its columns"), ([1.0], [0], [1], "do not fit")],
)
def test_sparse_rows_that_lie_are_refused(tmp_path: Path, values, columns, ends, why) -> None:
    sparse = {
        "values": np.array(values, dtype=np.float32),
        "columns": np.array(columns, dtype=np.int32),
        "ends": np.array(ends, dtype=np.int64),
    }
    with pytest.raises(MachineError, match=why):
        read_table(lies(tmp_path / "a", sparse, without=("vectors",)))


def test_what_is_no_table_file_is_told_apart(tmp_path: Path) -> None:
    other = tmp_path / "other"
    save_file({"E": np.ones((2, 2), dtype=np.float32)}, other)
    for content in (b"", b"x" * 40, (5).to_bytes(8, "little") + b"hello"):
        (tmp_path / "a").write_bytes(content)
        assert not is_table_file(tmp_path / "a")
        with pytest.raises(ConfigError, match="is no table file"):
            read_table(tmp_path / "a")
    assert not is_table_file(other)
    with pytest.raises(ConfigError, match="no table that rowspace ladder wrote"):
        read_table(other)
    for call in (read_table, digest):
        with pytest.raises(ConfigError, match="does not exist"):
            call(tmp_path / "none")
        with pytest.raises(ConfigError, match="is no file"):
            call(tmp_path)


def test_a_file_that_was_cut_is_damaged(tmp_path: Path) -> None:
    path = write_table(tmp_path / "a", table())
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(MachineError, match="is damaged"):
        read_table(path)


def test_a_disk_that_refuses_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError, match="cannot write"):
        write_table(tmp_path / "file" / "a", table())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    table = TokenTable(np.ones((100, 100), np.float32), [str(id_) for id_ in range(100)])
    handler, limits = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(MachineError, match=r"cannot write .*large\.safetensors: .*File too large"):
            write_table(tmp_path / "large.safetensors", table)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert not list(tmp_path.iterdir())
