"""Rows of tables: what sorts, what is said, and where a link leads."""

import pytest

from rowspace.compare.comparison import compare
from rowspace.compare.table import arm_rows, columns_of, link, place_of, run_rows, say_large
from tests.compare.pages import SIX, runs
from tests.compare.planted import grid, ran


def test_a_run_has_its_levels_by_place_and_its_numbers_twice(tmp_path):
    found = compare(runs(tmp_path, SIX[:2], seeds=(0,)))
    columns = columns_of(found)
    assert [column.label for column in columns][:3] == ["test/bpb", "val bpb", "test loss"]
    assert "memory" not in [column.label for column in columns]  # no run has it
    row = run_rows(found, columns, tmp_path / "compare.html")[0]
    assert [axis.levels[place] for axis, place in zip(found.axes, row["levels"], strict=True)] == [False]
    value, said = row["cells"][0]
    assert float(value) == pytest.approx(found.ranked[0].metrics["test/bpb"])
    assert said == f"{found.ranked[0].metrics['test/bpb']:.4f}"
    assert row["href"] == ""


def test_arms_have_places_and_verdicts(tmp_path):
    rows = arm_rows(compare(runs(tmp_path, SIX)))
    assert [row["place"] for row in rows] == ["★ 1st", "☆ 2nd", "☆ 3rd", "4", "5", "6"]
    assert rows[0]["is_base"]
    assert rows[-1]["verdict"] == "worse"
    assert rows[-1]["sign"] == "✗"
    assert rows[-1]["gap"] > 0.2


def test_one_seed_has_a_mean_and_the_reason_why_no_interval(tmp_path):
    [row] = arm_rows(compare(runs(tmp_path, SIX[:1], seeds=(0,))))
    assert "[" not in row["said"]
    assert row["why"]
    assert row["difference"] is None


def test_an_arm_shows_the_rate_that_was_chosen_for_it():
    tuned = [
        ran({**arm, "seed": 0}, arm["optimizer.lr"])
        for arm in grid(position=["rope", "none"], optimizer__lr=[0.1, 0.2])
    ]
    assert {row["chosen"] for row in arm_rows(compare(tuned))} == {"0.1"}


def test_a_level_is_not_its_lookalike():
    assert place_of(True, (1, True)) == 1
    assert place_of(1, (True, 1)) == 1
    assert place_of("x", ("y",)) == -1


def test_a_link_leads_from_the_page_to_the_report(tmp_path):
    run = tmp_path / "study" / "a run#1"
    run.mkdir(parents=True)
    assert link(run, tmp_path / "study" / "compare.html") == ""
    (run / "report.html").write_text("")
    assert link(run, tmp_path / "study" / "compare.html") == "a%20run%231/report.html"
    assert link(run, tmp_path / "elsewhere" / "compare.html") == "../study/a%20run%231/report.html"


def test_flops_have_units():
    assert [say_large(value) for value in (1.5e18, 2e15, 3e12, 4e9, 1234)] == ["1.5 E", "2 P", "3 T", "4 G", "1,234"]
