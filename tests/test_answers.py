"""Answers on disk: rows as parquet, the whole as JSON, read back, and what is damaged is named."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import plotly.graph_objects as go
import pytest
from pyarrow import parquet

from rowspace.answers import Findings, Score, Shown, read, write
from rowspace.errors import MachineError
from rowspace.metrics.metric import BESIDE
from rowspace.table import Missing

FINDINGS = Findings(
    question="Why?",
    sentence="Because.",
    scores=[Score("probe/why/share", "asked", 0.5, 0.1, 0.0, 0.3, n=4, asked=8)],
    rows={"why": [{"a": 1, "b": 0.5}, {"a": 2, "b": None}], "why_more": [{"c": "é"}]},
    shown=[Shown("t", ["", "x"], [["l", "1"]])],
    draw=lambda: {"why": go.Figure(layout={"title": {"text": "Why?"}})},
    reading="Left to right.",
    notes=["n"],
)


def test_an_answer_is_read_back_and_its_rows_are_tables(tmp_path):
    paths = write(tmp_path / "probes", "why", FINDINGS, {"command": "c"})
    assert [path.name for path in paths] == ["why.parquet", "why_more.parquet", "why.json"]
    assert parquet.read_table(paths[0]).to_pylist() == FINDINGS.rows["why"]
    (answer,) = read(tmp_path / "probes")
    assert (answer["probe"], answer["sentence"], answer["command"]) == ("why", "Because.", "c")
    assert parquet.read_table(paths[1]).to_pylist() == [{"c": "é"}]
    assert answer["scores"][0]["standing"] == "learned"
    assert answer["shown"] == [{"title": "t", "head": ["", "x"], "rows": [["l", "1"]], "folded": False}]
    assert answer["figures"]["why"]["layout"]["title"]["text"] == "Why?"


def test_answers_of_several_probes_stand_beside_one_another_and_another_asking_replaces_its_own(tmp_path):
    write(tmp_path, "why", FINDINGS, {"command": "first"})
    write(tmp_path, "how", FINDINGS, {"command": "second"})
    write(tmp_path, "why", FINDINGS, {"command": "third"})
    assert [(a["probe"], a["command"]) for a in read(tmp_path)] == [("how", "second"), ("why", "third")]


def test_an_answer_that_does_not_fit_on_the_disk_leaves_the_earlier_one_whole(tmp_path, monkeypatch):
    write(tmp_path, "why", FINDINGS, {"command": "first"})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    other = replace(FINDINGS, sentence="Another.", rows={"why": [{"a": 3, "b": 1.0}], "why_more": [{"c": "e"}]})
    synced = []

    def full(handle):
        synced.append(handle)
        if len(synced) == 3:  # of two tables and the answer, the last
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(MachineError, match=r"cannot write .*why\.json: No space left on device"):
        write(tmp_path, "why", other, {"command": "second"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def score(value, *, low=0.2, high=0.4, better="higher"):
    return Score("probe/x/y", "asked", value, 0.3, low, high, n=3, asked=4, better=better)


def test_a_score_has_learned_only_where_chance_does_not_reach():
    assert [score(value).standing for value in (0.1, 0.2, 0.3, 0.4, 0.41)] == [
        "below chance",
        "chance",
        "chance",
        "chance",
        "learned",
    ]
    assert score(0.1, better="lower").standing == "learned"
    assert score(0.5, better="lower").standing == "below chance"
    assert score(Missing("no word")).standing == "unknown"
    assert score(0.9, high=Missing("one question")).standing == "unknown"


def test_a_score_is_logged_with_its_chance_and_coverage_and_missing_parts_keep_their_reason():
    numbers = score(0.5).numbers()
    assert numbers["probe/x/y"] == 0.5
    assert numbers["probe/x/y/coverage"] == 0.75
    assert {key.removeprefix("probe/x/y") for key in numbers} <= {"", *BESIDE}
    record = score(Missing("no word")).record()
    assert (record["value"], record["reason"], record["standing"]) == (None, "no word", "unknown")
    assert score(math.inf).record()["value"] is None
    assert Score("k", "l", 1.0, 0.0, 0.0, 0.0, n=0, asked=0).coverage == 0.0


def test_figures_are_drawn_once_and_only_when_someone_looks():
    drawn = []
    findings = replace(FINDINGS, draw=lambda: drawn.append(1) or {})
    assert drawn == []
    assert findings.figures == findings.figures == {}
    assert drawn == [1]
    assert findings.all_numbers()["probe/why/share/null"] == 0.1


def planted(folder, change):
    """An answer on disk, changed."""
    write(folder, "why", FINDINGS, {"command": "c", "runs": [{"path": "p", "step": 3}], "settings": {}})
    answer = json.loads((folder / "why.json").read_text())
    change(answer)
    (folder / "why.json").write_text(json.dumps(answer))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("probe",), {}),
        (("probe",), "../why"),
        (("sentence",), 3),
        (("notes",), "n"),
        (("scores",), {}),
        (("scores", 0, "value"), "0.5"),
        (("scores", 0, "low"), math.inf),
        (("scores", 0, "n"), -1),
        (("scores", 0, "standing"), []),
        (("shown", 0, "head"), [1, 2]),
        (("shown", 0, "rows", 0), []),
        (("shown", 0, "rows", 0), ["a", "b", "c"]),
        (("shown", 0, "rows", 0, 1), None),
        (("figures",), []),
        (("figures", "why"), "x"),
        (("figures", "why", "layout"), 3),
        (("figures", "why", "layout", "title"), "x"),
        (("runs",), 3),
        (("runs", 0, "step"), "x"),
        (("settings",), []),
    ],
    ids=str,
)
def test_an_answer_with_a_field_of_another_kind_is_named_with_the_field(tmp_path, place, value):
    def change(answer):
        *way, last = place
        for key in way:
            answer = answer[key]
        answer[last] = value

    planted(tmp_path, lambda answer: None)
    assert len(read(tmp_path)) == 1
    planted(tmp_path, change)
    with pytest.raises(MachineError, match=rf"why\.json is damaged: {place[0]}.*; delete it and ask again"):
        read(tmp_path)
    assert read(tmp_path, but=["why"]) == []


@pytest.mark.parametrize("lost", ["probe", "scores", "shown", "figures", "question"])
def test_an_answer_that_lacks_a_field_is_named_with_the_field(tmp_path, lost):
    planted(tmp_path, lambda answer: answer.pop(lost))
    with pytest.raises(MachineError, match=rf"why\.json is damaged: {lost}: Field required; delete it"):
        read(tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", json.dumps({"format": 99}), '{"format": 2}', "[" * 100_000], ids=len)
def test_a_damaged_answer_is_named(tmp_path, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(MachineError, match=r"x\.json .*delete it and ask again"):
        read(tmp_path)
