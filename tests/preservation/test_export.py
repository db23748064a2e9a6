"""Files of a matrix: everything in JSON without NaN, a row a cell in CSV, no formula, and all of them or none."""

from __future__ import annotations

import csv
import json

import pytest

from rowspace.errors import MachineError
from rowspace.preservation.columns import IDENTITY, TESTS, WORDSIM
from rowspace.preservation.export import cell_text, rows_of, to_csv, to_json, to_markdown, write
from tests.preservation.lines import line, recorded, states


def found():
    return recorded(
        line("one_hot", IDENTITY, gone={WORDSIM: "the corpus is synthetic"}), states(1, last=True, label="=1+1")
    )


def test_json_holds_every_cell_with_its_chance_or_its_reason():
    read = json.loads(to_json(found()), parse_constant=pytest.fail)
    cells = read["lines"][0]["cells"]
    assert set(cells) == {test.key for test in TESTS}
    assert cells["identity"]["standing"] == "learned"
    assert (cells["wordsim353"]["value"], cells["wordsim353"]["reason"]) == (None, "the corpus is synthetic")
    assert read["answer"].startswith("Of 2 rungs, beyond chance")
    assert {"group", "place", "statement", "word", "why"} == set(read["expectations"][0])


def test_csv_has_a_row_a_cell_and_begins_no_formula():
    rows = list(csv.DictReader(to_csv(found()).decode().splitlines()))
    assert len(rows) == len(rows_of(found())) == 2 * len(TESTS)
    assert {row["label"] for row in rows} == {"one_hot", "'=1+1"}
    assert rows[4]["value"] == ""
    assert rows[4]["reason"] == "the corpus is synthetic"
    assert rows[0]["asked"] == "50"


def test_markdown_escapes_what_would_end_a_cell():
    text = to_markdown(recorded(line("x", IDENTITY, label="a|b\n<i>")))
    assert "a\\|b \\<i\\>" in text
    assert len({row.count(" | ") for row in text.splitlines()}) == 1


def test_a_cell_is_a_sign_and_a_number():
    cells = found()["lines"][0]["cells"]
    assert cell_text(cells["identity"], "share") == "✓ 50.0 %"
    assert cell_text(cells["order"], "distance") == "= 0"
    assert cell_text(cells["wordsim353"], "correlation") == "? –"


def test_all_files_or_none(tmp_path):
    written = write(tmp_path, found(), {"preservation": "{}"})
    assert {path.name for path in written} == {"preservation.json", "matrix.csv", "matrix.json"}
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "matrix.json").mkdir()
    with pytest.raises(MachineError, match="is a folder"):
        write(tmp_path / "other", found(), {})
    assert not (tmp_path / "other" / "matrix.csv").exists()
