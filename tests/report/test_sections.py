"""Answers as sections: a reader's order, successes beside failures, columns that know what they hold."""

from __future__ import annotations

from typing import Any

from rowspace.report.sections import EXAMPLES, find_examples, prepare

HEAD = ["pair", "relation", "percentile", "verdict", "rule"]


def table(rows: list[list[str]], head: list[str] = HEAD, **more: Any) -> dict[str, Any]:
    return {"title": "pairs", "head": head, "rows": rows, "folded": False, **more}


def answer(probe: str, *tables: dict[str, Any], **more: Any) -> dict[str, Any]:
    said = {"question": f"What of {probe}?", "sentence": "So.", "reading": "Thus.", "notes": [], "scores": []}
    return {"probe": probe, **said, "shown": list(tables), "figures": {}, **more}


JUDGED = table(
    [
        ["one - two", "sequence", "99.2", "✓ success", "nearer than 95 %"],
        *([f"far {n}", "use", "12.5", "✗ failure", "not nearer"] for n in range(9)),
        ["odd", "use", "-", "= tie", "equal"],
    ]
)


def test_answers_stand_in_a_readers_order_and_others_follow_by_name():
    ready = prepare([answer(name) for name in ("zebra", "analogies", "apple", "updates", "pairs")])
    assert [one["probe"] for one in ready["answers"]] == ["pairs", "analogies", "apple", "updates", "zebra"]
    assert [one["probe"] for one in ready["answers"] if one["of_the_path"]] == ["updates"]
    assert [one["probe"] for one in ready["answers"] if one["open"]] == ["pairs", "analogies"]


def test_successes_stand_beside_failures_with_how_many_there_are():
    (found,) = (one["examples"] for one in prepare([answer("pairs", JUDGED)])["answers"])
    assert (found["n_success"], found["n_failure"]) == (1, 9)
    assert found["success"] == [("one - two", "relation sequence · percentile 99.2 · rule nearer than 95 %")]
    assert len(found["failure"]) == EXAMPLES


def test_a_verdict_that_is_a_word_of_its_own_is_quoted():
    rows = [["the mole", "✗ wrong", "unit"], ["a pair", "✓ 98%", ""]]
    ready = prepare([answer("senses", table(rows, ["", "verdict", "taken for"]))])["answers"][0]
    assert ready["examples"]["failure"] == [("the mole", "wrong · taken for unit")]
    assert ready["examples"]["success"] == [("a pair", "98%")]


def test_without_verdicts_there_are_no_examples():
    assert find_examples([]) == {}
    assert prepare([answer("length", table([["rope", "1.5"]], ["", "1x"]))])["answers"][0]["examples"] == {}


def test_columns_of_numbers_stand_right_and_verdicts_have_their_look():
    (ready,) = prepare([answer("pairs", JUDGED)])["answers"]
    (shown,) = ready["open_tables"]
    assert shown["columns"] == ["", "", "num", "", ""]
    assert shown["cells"][0][3] == ("✓ success", "success")
    assert shown["cells"][-1][3] == ("= tie", "tie")


def test_a_cell_that_only_begins_with_a_sign_of_a_verdict_is_text():
    (ready,) = prepare([answer("x", table([["=a", "?b"], ["c", "="]], ["", ""]))])["answers"]
    assert [look for row in ready["open_tables"][0]["cells"] for _, look in row] == ["", "", "", "tie"]


def test_figures_are_named_after_their_probe_and_titles_are_text_again():
    figure = {"data": [], "layout": {"title": {"text": "the rows&#x27; mean &lt;b&gt;?"}, "meta": {"caption": "c"}}}
    ready = prepare([answer(name, figures={"map_E": figure}) for name in ("a", "b")])
    assert list(ready["figures"]) == ["a.map_E", "b.map_E"]
    assert ready["captions"]["a.map_E"]["title"] == "the rows' mean <b>?"
