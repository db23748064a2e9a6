"""What is read of a few run folders, and what is said where it cannot be."""

from rowspace.compare.comparison import compare
from rowspace.compare.nearby import COLUMNS, read_facts, read_geometry, read_neighbours, side_by_side
from tests.compare.pages import SIX, compared, runs
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


def test_geometry_and_facts_come_from_folders_that_can_be_read(tmp_path):
    found = compared(tmp_path, SIX[:1], seeds=(0, 1), furnished=1)
    rows = read_geometry(found.arms, 4)
    assert list(rows) == [side_by_side(found.arms)[0].path]
    assert len(next(iter(rows.values()))) == 4
    facts = read_facts(found.ranked)
    assert facts["data"]["name"] == "glosses"
    assert read_facts([]) == {}
