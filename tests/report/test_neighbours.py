"""Neighbours grouped for the page: successes and failures side by side, nothing lost."""

from rowspace.report.neighbours import SIGNS, count_verdicts, group_by_word
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
