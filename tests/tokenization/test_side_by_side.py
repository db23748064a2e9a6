from __future__ import annotations

import json

import pytest

from rowspace.tokenization import side_by_side
from rowspace.tokenization.hostile import code_point_blocks
from tests.tokenization.corpora import option, sentences


@pytest.fixture(scope="module")
def fitted() -> dict:
    return {name: option(name).fit(sentences(300)) for name in ("word", "bpe", "byte")}


@pytest.fixture
def compared(fitted: dict, monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    monkeypatch.setattr("rowspace.tokenization.closure.code_point_blocks", lambda: list(code_point_blocks())[:4])
    return side_by_side.compare(fitted, [text.encode() for text in sentences(40, seed=5)])


def test_cards_stand_side_by_side_with_unit_and_direction(compared: list[dict]) -> None:
    table = side_by_side.card_table(compared)
    assert table.head == ["", "word", "bpe", "byte", "unit", "better"]
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["vocab_size_obtained"] == ["80", "330", "257", "tokens", "neither"]
    assert rows["vocab_size_asked"][2] == "-"
    assert rows["closure"][:3] == ["OPEN", "CLOSED", "CLOSED"]
    assert rows["bytes_per_token"][2:] == ["1", "bytes", "higher"]
    assert json.loads(json.dumps(compared, allow_nan=False)) == compared


def test_notes_say_what_ran_and_show_a_text_that_does_not_come_back(compared: list[dict]) -> None:
    notes = {(row[0], row[1]): row[2] for row in side_by_side.note_table(compared).rows}
    assert notes["word", "algorithm"] == "words by count"
    assert "comes back as" in notes["word", "for example"]
    assert ("byte", "for example") not in notes


def test_pieces_of_one_text_by_each_tokenizer(fitted: dict) -> None:
    rows = side_by_side.explained(fitted, "red \x1b[0m")
    table = side_by_side.piece_table(rows)
    assert [line[0] for line in table.rows] == ["word", "bpe", "byte"]
    assert {line[2] for line in table.rows} == {"8"}
    assert "\x1b" not in side_by_side.plain(table)
    assert rows[0]["tokenizer"] == "word"
    assert rows[0]["place"] == 0


def test_a_text_without_tokens_has_no_lines(fitted: dict) -> None:
    assert side_by_side.explained(fitted, "") == []


def test_steps_of_each_tokenizer_under_its_label(fitted: dict) -> None:
    documents = [text.encode() for text in sentences(300)]
    rows = side_by_side.traced({name: option(name) for name in fitted}, fitted, documents, 2)
    assert [row["tokenizer"] for row in rows] == ["word", "word", "bpe", "bpe"]
    assert len(side_by_side.step_table(rows).rows) == 4


def test_markdown_cells_cannot_become_markup() -> None:
    table = side_by_side.Table("t", ["a"], [["<script>|`*_[x](y)\\"]])
    text = side_by_side.markdown(table)
    assert "<script>" not in text
    assert "&lt;script&gt;\\|\\`\\*\\_\\[x\\](y)\\\\" in text


def test_plain_text_is_aligned() -> None:
    table = side_by_side.Table("t", ["", "one"], [["long name", "1"], ["x", "22"]])
    assert side_by_side.plain(table) == "t\n           one\nlong name  1\nx          22"
