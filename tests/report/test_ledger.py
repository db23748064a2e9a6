"""Repeated blocks stand in one line, and nothing is lost by it."""

from typing import Any

from rowspace.model.ledger import quantities
from rowspace.report.ledger import aligned, fold, grouped, ledger_table
from tests.parts import model, shape


def row(quantity: str, shape_: str = "(4, 2)", category: str = "LEARNED") -> dict[str, Any]:
    return {"quantity": quantity, "category": category, "shape": shape_, "count": 8, "bytes": 32, "sha256": "ab"}


def test_rows_that_differ_in_the_block_alone_become_one():
    (line,) = fold([row("blocks.0.up.weight"), row("blocks.1.up.weight"), row("blocks.11.up.weight")])
    assert line["quantity"] == "blocks.*.up.weight"
    assert (line["times"], line["count"], line["bytes"], line["sha256"]) == (3, 24, 96, None)


def test_blocks_of_other_shapes_names_and_categories_stay_apart():
    rows = [
        row("blocks.0.up"),
        row("blocks.1.up", "(2, 4)"),
        row("blocks.2.down"),
        row("blocks.3.up", category="CONFIG"),
    ]
    assert len(fold(rows)) == 4
    (alone, *_) = fold(rows)
    assert alone["sha256"] == "ab"
    assert alone["quantity"] == "blocks.*.up"


def test_folding_a_live_ledger_keeps_every_number():
    rows = quantities(model(model=shape(layers=7)))
    groups = grouped(rows)
    assert [group["category"] for group in groups] == ["LEARNED", "CONFIG", "STATE"]
    assert sum(group["count"] for group in groups) == sum(row["count"] for row in rows)
    assert sum(line["times"] for group in groups for line in group["lines"]) == len(rows)
    assert any(line["times"] == 7 for line in groups[0]["lines"])


def test_rows_of_an_older_run_are_shown_too():
    old = {"quantity": "E", "category": "LEARNED", "shape": "(8192, 128)", "count": 1048576, "bytes": 4194304}
    (group,) = grouped([old])
    assert group["lines"][0]["value"] is None


def test_numbers_stand_right_and_words_left():
    table = aligned(("what", "count"), [("a", "1"), ("long name", "1,000")], numbers=(1,))
    assert table.splitlines() == ["what       count", "a              1", "long name  1,000"]


def test_a_number_of_the_configuration_has_a_value_and_no_bytes():
    value = {"quantity": "V", "category": "CONFIG", "value": "300", "shape": "", "count": 0, "bytes": 0}
    assert ledger_table([value]).splitlines()[-1].split() == ["V", "=", "300"]


def test_a_hash_is_shown_by_its_first_characters_and_has_no_column_where_there_is_none():
    hashed = [{**row("E"), "sha256": "0123456789abcdef"}, row("blocks.0.up"), row("blocks.1.up")]
    head, _, table, blocks = (line.split() for line in ledger_table(hashed).splitlines())
    assert head == ["quantity", "shape", "or", "value", "count", "bytes", "sha256"]
    assert table[-1] == "01234567"
    assert blocks == ["blocks.*.up", "x", "2", "(4,", "2)", "16", "64", "bytes"]
    assert "sha256" not in ledger_table([{**each, "sha256": None} for each in hashed])
