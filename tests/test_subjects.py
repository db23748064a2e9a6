"""What a path is to a probe: which table is meant, where answers stand, and what a page says of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rowspace.errors import ConfigError
from rowspace.probing.base import Subject, Tables
from rowspace.subjects import Named, Truth, Wanted, describe, folder_of, open_table
from rowspace.table import TokenTable
from rowspace.terminal import Terminal

SILENT = Terminal("none")


def held(rows: np.ndarray, tokens: list[str], name: str = "glove.txt", source: dict[str, str] | None = None) -> Subject:
    table = TokenTable(rows.astype(np.float32), tokens, source=source or {})
    return Subject(
        path=f"somewhere/{name}",
        name=name,
        tables=Tables({"vectors": lambda: table}),
        chosen="vectors",
        encode=None,
        truth={},
        seed=0,
        step=None,
    )


def never() -> TokenTable:
    raise AssertionError("a table that nobody asked for was read")


def test_the_table_that_is_meant_is_named_or_the_paths_own():
    tables, path = Tables({"E": never, "U": never, "layer0": never}), Path("run")
    assert Wanted().of(tables, "E", path) == "E"
    assert Wanted("U").of(tables, "E", path) == "U"
    assert Wanted("vectors", needed=False).of(tables, "E", path) == "E"
    with pytest.raises(ConfigError, match="table: 'layre0' was given; of run did you mean layer0"):
        Wanted("layre0").of(tables, "E", path)
    with pytest.raises(ConfigError, match="table: run holds several tables; name one: E, U, layer0"):
        Wanted().of(tables, None, path)


def test_what_a_corpus_knows_is_read_when_it_is_asked_for_and_once():
    read: list[int] = []

    def know() -> dict[str, int]:
        read.append(1)
        return {"pairs": 3}

    truth = Truth(know)
    assert not read
    assert (truth.get("pairs"), truth.get("senses"), len(truth), list(truth)) == (3, None, 1, ["pairs"])
    assert read == [1]


def test_a_table_has_one_folder_wherever_it_lies_and_another_table_another():
    rows, tokens = np.arange(6.0).reshape(3, 2), ["a", "b", "\ud800"]
    one = folder_of(held(rows, tokens))
    assert one.parent == Path("outputs", "probes")
    assert one.name.startswith("glove.txt-")
    assert folder_of(held(rows.copy(), list(tokens))) == one
    others = [held(rows + 1e-3, tokens), held(rows, ["a", "b", "c"]), held(rows.reshape(2, 3), ["a", "b"])]
    assert len({one, *(folder_of(other) for other in others)}) == 4


def test_a_hostile_name_makes_a_harmless_folder():
    folder = folder_of(held(np.ones((2, 2)), ["a", "b"], name="../../<b>\x1b[31m"))
    assert folder.parts[:2] == ("outputs", "probes")
    assert len(folder.parts) == 3
    assert folder.name.isascii()


def test_a_table_is_described_with_what_is_odd_and_its_counts_or_none():
    odd = {"format": "text", "file": "x", "rows": "2", "repeated tokens": "1 rows"}
    said = describe(held(np.ones((2, 3)), ["a", "a"], source=odd))
    assert said == "vectors of somewhere/glove.txt (text): 2 rows of 3 numbers. repeated tokens: 1 rows; counts: none."


def test_counts_are_those_of_every_table_of_the_path(tmp_path: Path):
    import pyarrow as pa
    from pyarrow import parquet

    columns = {"word": ["a", "b"], "E": [[1.0, 2.0], [3.0, 4.0]], "U": [[5.0, 6.0], [7.0, 8.0]]}
    parquet.write_table(pa.table(columns), tmp_path / "t")
    (tmp_path / "counts").write_text("b\t5\n")
    named = Named(counts=tmp_path / "counts")
    found = open_table(tmp_path / "t", wanted=Wanted("U"), named=named, seed=4, terminal=SILENT)
    assert (found.chosen, found.seed, found.step) == ("U", 4, None)
    for name in ("E", "U"):
        counts = found.tables[name].counts
        assert counts is not None
        assert counts.tolist() == [0, 5]


def test_a_checkpoint_of_a_run_names_the_folder_to_give(tmp_path: Path):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "run.json").write_text("{}")
    path = tmp_path / "checkpoints" / "best.ckpt"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(ConfigError, match=r"is a checkpoint of the run .*; give that folder, and weights=best or last"):
        open_table(path, wanted=Wanted(), named=Named(), seed=0, terminal=SILENT)
