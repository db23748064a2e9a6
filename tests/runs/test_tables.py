"""A run whose E starts as a table: the file is part of what the run is, and not needed once it has begun."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rowspace.table import TokenTable
from rowspace.tablefile import write_table
from tests.parts import option
from tests.runs.conftest import QUICK, assert_same_run, run_folder, run_json
from tests.server import Client, Finished


def write(path: Path, *, scale: float = 1.0, d: int = 16) -> Path:
    """Random rows for the tokens of the byte tokenizer."""
    tokens = option("tokenizer", "byte").fit([]).vocabulary
    vectors = scale * np.random.default_rng(0).normal(size=(len(tokens), d)).astype(np.float32)
    return write_table(path, TokenTable(vectors, tokens, source={"table": "random"}))


def words(path: Path) -> tuple[str, ...]:
    return (*QUICK, "embedding=table", f"embedding.path={path}", "embedding.rescale=none")


@pytest.mark.slow
def test_a_run_goes_on_without_its_file_and_is_another_run_with_another(
    rowspace: Client, stop_at: Callable[..., Finished], tmp_path: Path
) -> None:
    path = write(tmp_path / "table.safetensors")
    (tmp_path / "once").mkdir()
    done = rowspace("train", *words(path), cwd=tmp_path / "once")
    assert done.code == 0, done.stderr
    assert "E starts with 256 of its 257 rows from" in done.stderr
    (tmp_path / "stopped").mkdir()
    assert stop_at(tmp_path / "stopped", 12, signal.SIGTERM, *words(path)).code == 143
    path.unlink()
    resumed = rowspace("train", *words(path), cwd=tmp_path / "stopped")
    assert resumed.code == 0, resumed.stderr
    assert "resuming after step" in resumed.stderr
    assert_same_run(run_folder(tmp_path / "once"), run_folder(tmp_path / "stopped"))
    write(path, scale=2.0)
    first = run_folder(tmp_path / "once")
    assert rowspace("train", *words(path), cwd=tmp_path / "once").code == 0
    assert run_folder(tmp_path / "once") != first
    assert run_json(run_folder(tmp_path / "once"))["hash"] != run_json(first)["hash"]


@pytest.mark.slow
def test_a_table_of_another_width_is_refused_before_anything_is_written(rowspace: Client, tmp_path: Path) -> None:
    path = write(tmp_path / "wide.safetensors", d=20)
    for more in ([], ["dry_run=true"]):
        refused = rowspace("train", *words(path), *more, cwd=tmp_path)
        assert refused.code == 2
        assert "has rows of 20 numbers and model.d is 16" in refused.stderr
    assert not list((tmp_path / "outputs").glob("*/*/run.json"))
