"""`rowspace ladder` as typed: rungs beside a run that was really trained, asked again, refused, and killed."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from tests.runs.conftest import run_json
from tests.server import Client

TEXT = ("data=synthetic", "data.size=400", "tokenizer=byte")
SMALL = ("lsa.d=8", "association.tokens=20", "association.contexts=20", "senses.draws=1000", "closure=[]")
FEW = ("rungs=[one_hot,lsa]", *SMALL)


@pytest.fixture(scope="module")
def ladder(rowspace: Client, finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of two tables beside the tiny run."""
    cwd = tmp_path_factory.mktemp("ladder")
    done = rowspace("ladder", *TEXT, *FEW, f"runs=[{finished}]", "logger.mode=disabled", cwd=cwd)
    assert done.code == 0, done.stderr
    assert "What each rung preserves" in done.stdout
    assert "Of 5 rungs, beyond chance: identity from" in done.stdout
    (folder,) = (cwd / "outputs" / "ladder").iterdir()
    assert f"page: {folder.relative_to(cwd) / 'ladder.html'}" in done.stdout
    return folder


def test_tables_rows_and_states_are_scored_alike(ladder: Path) -> None:
    record = json.loads((ladder / "matrix.json").read_text())
    lines = {line["key"]: line for line in record["lines"]}
    assert list(lines) == ["one_hot", "lsa", "run0_E", "run0_layer0", "run0_layer1"]
    order = {key: line["cells"]["order"]["value"] for key, line in lines.items()}
    assert [order[key] for key in ("one_hot", "lsa", "run0_E", "run0_layer0")] == [0.0] * 4
    assert order["run0_layer1"] > 1e-3
    assert lines["one_hot"]["cells"]["identity"]["value"] == 1.0
    assert "no pair has a row" in lines["lsa"]["cells"]["pairs"]["reason"]  # a byte is no word
    assert record["about"]["runs"][0]["step"] == 40
    rows = list(csv.DictReader((ladder / "matrix.csv").read_text().splitlines()))
    assert len(rows) == 5 * len(record["tests"])
    files = {str(path.relative_to(ladder)) for path in ladder.rglob("*") if path.is_file()}
    assert {"tables/one_hot.safetensors", "tables/lsa.safetensors", "figures/preservation.svg"} <= files
    assert not [name for name in files if name.endswith(".tmp")]
    assert (ladder / "ladder.html").stat().st_size < 6_000_000


@pytest.mark.slow
def test_asked_again_it_says_what_is_there_and_writes_a_lost_page(
    rowspace: Client, finished: Path, ladder: Path
) -> None:
    cwd = ladder.parents[2]
    before = (ladder / "matrix.json").stat().st_mtime_ns
    (ladder / "ladder.html").unlink()
    done = rowspace("ladder", *TEXT, *FEW, f"runs=[{finished}]", "logger.mode=disabled", cwd=cwd)
    assert done.code == 0, done.stderr
    assert "holds this ladder already" in done.stderr
    assert (ladder / "ladder.html").read_text().startswith("<!doctype html>")
    assert (ladder / "matrix.json").stat().st_mtime_ns == before


def test_a_run_of_another_tokenizer_or_text_is_refused_by_name(
    rowspace: Client, finished: Path, tmp_path: Path
) -> None:
    for words, said in (
        (("data=synthetic", "data.size=400", "tokenizer=char"), "tokenizer=byte (here char)"),
        (("data=synthetic", "data.size=300", "tokenizer=byte"), "data.size=400 (here 300)"),
    ):
        done = rowspace("ladder", *words, *FEW, f"runs=[{finished}]", cwd=tmp_path)
        assert done.code == 2
        assert said in done.stderr
        assert str(finished) in done.stderr
    assert not (tmp_path / "outputs").exists()


@pytest.mark.slow
def test_a_run_that_is_not_finished_or_says_another_text_is_refused(
    rowspace: Client, finished: Path, tmp_path: Path
) -> None:
    for name, changed, said in (
        ("failed", {"status": "failed"}, "cannot be used"),
        ("other", {"data": {**run_json(finished)["data"], "sha256": "0" * 64}}, "was trained on another text"),
    ):
        folder = tmp_path / name
        shutil.copytree(finished, folder)
        (folder / "run.json").write_text(json.dumps({**run_json(finished), **changed}))
        done = rowspace("ladder", *TEXT, *FEW, f"runs=[{folder}]", cwd=tmp_path)
        assert done.code == 2
        assert said in done.stderr
    assert not (tmp_path / "outputs" / "ladder").exists()


@pytest.mark.slow
def test_a_ladder_that_is_killed_leaves_no_half_page(rowspace: Client, tmp_path: Path) -> None:
    words = ("ladder", *TEXT, *FEW, "logger.mode=disabled")
    done = rowspace(*words, cwd=tmp_path, before="tests.runs.deaths:in_a_save matrix.json 1")
    assert done.code == -9
    (folder,) = (tmp_path / "outputs" / "ladder").iterdir()
    assert not (folder / "ladder.html").exists()
    assert not (folder / "matrix.json").exists()
    assert rowspace(*words, cwd=tmp_path).code == 0
    assert "What each rung adds" in (folder / "ladder.html").read_text()


@pytest.mark.slow
def test_kinds_of_tokenizers_are_compared_on_the_same_page(rowspace: Client, tmp_path: Path) -> None:
    words = ("ladder", *TEXT, *FEW, "closure=[300]", "rungs=[one_hot]", "logger.mode=disabled")
    done = rowspace(*words, cwd=tmp_path)
    assert done.code == 0, done.stderr
    (folder,) = (tmp_path / "outputs" / "ladder").iterdir()
    drawn = (folder / "figures" / "closure_and_length.csv").read_text()
    assert all(kind in drawn for kind in ("word", "char", "byte", "bpe"))
    assert 'data-figure="closure_and_length"' in (folder / "ladder.html").read_text()
