"""Neighbours grouped for the page: successes and failures side by side, nothing lost."""

from rowspace.report.neighbours import HITS, SIGNS, count_verdicts, find_hit_score, group_by_word
from tests.report.folders import neighbour_rows


def test_each_word_has_its_successes_failures_and_the_rest():
    asked, drawn = group_by_word(neighbour_rows())
    king = asked[0]
    assert ([row["neighbour"] for row in king.hits], len(king.misses), len(king.others)) == ([" queen"], 1, 3)
    assert king.judged == 4
    assert [line.word for line in drawn] == ["word"]


def test_a_word_without_a_row_keeps_its_reason():
    unicorn = group_by_word(neighbour_rows())[0][1]
    assert (unicorn.word, unicorn.reason) == ("unicorn", "missing: the vocabulary has no piece for it")


def test_every_row_is_shown_once():
    rows = neighbour_rows()
    lines = [line for group in group_by_word(rows) for line in group]
    assert sum(len(line.hits) + len(line.misses) + len(line.others) for line in lines) == sum(
        row["rank"] > 0 for row in rows
    )


def test_every_verdict_is_listed_also_where_there_is_none():
    assert [(verdict, count) for verdict, _, count, _ in count_verdicts([])] == [(verdict, 0) for verdict in SIGNS]
    assert {verdict: count for verdict, _, count, _ in count_verdicts(neighbour_rows())} == {
        "success": 1,
        "failure": 131,
        "tie": 1,
        "under-trained": 1,
        "unjudged": 2,
    }


def test_the_hit_rate_is_a_score_with_the_interval_that_was_measured():
    row = {HITS: 0.02, f"{HITS}/null": 0.01, f"{HITS}/null_sd": 0.001, "probe/neighbours/words": 50.0}
    row |= {"probe/neighbours/coverage": 0.5}
    (answer,) = find_hit_score({**row, f"{HITS}/null_low": 0.005, f"{HITS}/null_high": 0.025})
    (score,) = answer["scores"]
    assert (score["low"], score["high"], score["standing"], score["reason"]) == (0.005, 0.025, "chance", None)
    assert (score["n"], score["asked"]) == (50, 100)
    (answer,) = find_hit_score({**row, f"{HITS}/null_low": 0.005, f"{HITS}/null_high": 0.015})
    assert answer["scores"][0]["standing"] == "learned"


def test_without_an_interval_no_standing_is_told_and_the_reason_is():
    (answer,) = find_hit_score({HITS: 0.02, f"{HITS}/null": 0.01, f"{HITS}/null_sd": 0.001})
    (score,) = answer["scores"]
    assert (score["value"], score["standing"], score["low"]) == (0.02, "unknown", None)
    assert score["reason"].startswith("chance has its interval where tables are drawn")
    assert find_hit_score({}) == []
