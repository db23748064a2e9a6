"""Answers on disk: rows as parquet, the whole as JSON, read back, and what is damaged is named."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import plotly.graph_objects as go
import pytest
from pyarrow import parquet

from rowspace.errors import MachineError
from rowspace.probing import results
from rowspace.probing.base import Findings, Shown

FINDINGS = Findings(
    question="Why?",
    sentence="Because.",
    rows={"why": [{"a": 1, "b": 0.5}, {"a": 2, "b": None}], "why_more": [{"c": "é"}]},
    shown=[Shown("t", ["", "x"], [["l", "1"]])],
    figures={"why": go.Figure(layout={"title": {"text": "Why?"}})},
    reading="Left to right.",
    notes=["n"],
)


def test_an_answer_is_read_back_and_its_rows_are_tables(tmp_path):
    paths = results.write(tmp_path / "probes", "why", FINDINGS, {"command": "c"})
    assert [path.name for path in paths] == ["why.parquet", "why_more.parquet", "why.json"]
    assert parquet.read_table(paths[0]).to_pylist() == FINDINGS.rows["why"]
    (answer,) = results.read(tmp_path / "probes")
    assert (answer["probe"], answer["sentence"], answer["command"]) == ("why", "Because.", "c")
    assert answer["rows"]["why_more"] == [{"c": "é"}]
    assert answer["figures"]["why"]["layout"]["title"]["text"] == "Why?"


def test_answers_of_several_probes_stand_beside_one_another_and_another_asking_replaces_its_own(tmp_path):
    results.write(tmp_path, "why", FINDINGS, {"command": "first"})
    results.write(tmp_path, "how", FINDINGS, {"command": "second"})
    results.write(tmp_path, "why", FINDINGS, {"command": "third"})
    assert [(a["probe"], a["command"]) for a in results.read(tmp_path)] == [("how", "second"), ("why", "third")]


def test_an_answer_that_does_not_fit_on_the_disk_leaves_the_earlier_one_whole(tmp_path, monkeypatch):
    results.write(tmp_path, "why", FINDINGS, {"command": "first"})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    other = replace(FINDINGS, sentence="Another.", rows={"why": [{"a": 3, "b": 1.0}], "why_more": [{"c": "e"}]})
    synced = []

    def full(handle):
        synced.append(handle)
        if len(synced) == 3:  # of two tables and the answer, the last
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(MachineError, match=r"cannot write .*why\.json: No space left on device"):
        results.write(tmp_path, "why", other, {"command": "second"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_loss_that_overflowed_is_null_in_json(tmp_path):
    findings = Findings("q", "s", {"x": [{"a": math.inf}, {"a": 1.0}]}, [], {}, "r")
    results.write(tmp_path, "x", findings, {})
    assert results.read(tmp_path)[0]["rows"]["x"] == [{"a": None}, {"a": 1.0}]


@pytest.mark.parametrize("content", ["{", "[]", json.dumps({"format": 99})])
def test_a_damaged_answer_is_named(tmp_path, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(MachineError, match=r"x\.json .*delete it and ask again"):
        results.read(tmp_path)
