"""What is read of a few run folders, and what is said where it cannot be."""

import pytest

from rowspace.compare.comparison import compare
from rowspace.compare.nearby import COLUMNS, read_facts, read_geometry, read_neighbours, side_by_side
from rowspace.runfolder import RunFolder
from tests.compare.pages import SIX, compared, furnish, runs
from tests.figures.rows import HOSTILE


def test_first_seeds_of_the_best_arms_come_first_then_second_seeds(tmp_path):
    found = compare(runs(tmp_path, SIX))
    beside = side_by_side(found.arms)
    assert len(beside) == COLUMNS
    assert [run.seed for run in beside] == [0] * 6 + [1] * 2
    assert beside[6].settings["position"] == found.arms[0].levels["position"]
    assert side_by_side(()) == []


def test_neighbours_stand_by_word_and_run_and_are_shown_safely(tmp_path):
    found = compared(tmp_path, SIX[:1], seeds=(0, 1), furnished=1)
    words, missing = read_neighbours(side_by_side(found.arms))
    assert [one["word"] for one in words][:2] == ["king", "red"]
    assert words[0]["near"]["0"][0] == ["␣queen", "success", 0.88]
    assert words[0]["near"]["0"][2][0] == "<U+202E>"
    assert set(words[0]["near"]) == {"0"}
    assert "is no run folder" in missing[0][1]
    assert HOSTILE.replace(" ", "␣") in words[2]["word"]


@pytest.mark.parametrize(
    "change", [{"cosine": "x"}, {"cosine": float("nan")}, {"rank": 1.5}, {"word": None}, {"policy": 7}, {"verdict": []}]
)
def test_a_table_that_no_run_wrote_is_set_apart_with_the_column(tmp_path, change):
    (run,) = runs(tmp_path, SIX[:1], seeds=(0,))
    furnish(run.path)
    folder = RunFolder(run.path)
    folder.write_table("neighbours", [{**row, **change} for row in folder.read_table("neighbours")])
    words, ((name, reason),) = read_neighbours([run])
    assert (words, name) == ([], run.name)
    assert f"tables/neighbours.parquet is damaged: {next(iter(change))} holds what no run writes" in reason


def test_rows_of_metrics_that_hold_no_numbers_have_none(tmp_path):
    found = compared(tmp_path, SIX[:1], seeds=(0,), furnished=1)
    (run,) = side_by_side(found.arms)
    key, odd = "geometry/E/mean_cosine_raw", ['{"a": 1}', "Infinity", '"<b>"', "true", "1e300", "null"]
    lines = [f'{{"trainer/global_step": 5, "{key}": {value}}}' for value in odd]
    run.path.joinpath("metrics.jsonl").write_text("\n".join([*lines, "[1]", "7", f'["{key}"]', f'"{key}"', ""]))
    (rows,) = read_geometry(found.arms, 1).values()
    assert rows == [{"trainer/global_step": 5.0, key: None}] * len(odd)
    run.path.joinpath("metrics.jsonl").write_text("[" * 100_000 + "\n")
    assert read_geometry(found.arms, 1) == {}


def test_geometry_and_facts_come_from_folders_that_can_be_read(tmp_path):
    found = compared(tmp_path, SIX[:1], seeds=(0, 1), furnished=1)
    rows = read_geometry(found.arms, 4)
    assert list(rows) == [side_by_side(found.arms)[0].path]
    assert len(next(iter(rows.values()))) == 4
    facts = read_facts(found.ranked)
    assert facts["data"]["name"] == "glosses"
    assert read_facts([]) == {}
