"""Scores for people: a word and a sign for each standing, shares in percent, and no number where none is known."""

from __future__ import annotations

from typing import Any

import pytest

from rowspace.report.scores import STANDINGS, find_scores, group_scores, say_scores, say_value


def score(standing: str = "learned", **more: Any) -> dict[str, Any]:
    known = {"value": 0.3, "chance": 0.01, "low": 0.0, "high": 0.02, "n": 1200, "asked": 3000}
    said = {"key": "probe/neighbours/hit_rate", "label": "Near?", "better": "higher", "reason": None}
    return {**said, **known, "standing": standing, **more}


def answer(probe: str, *scores: dict[str, Any]) -> dict[str, Any]:
    return {"probe": probe, "question": f"What of {probe}?", "scores": list(scores)}


def test_a_share_is_said_in_percent_with_its_interval_and_coverage():
    (line,) = find_scores([answer("pairs", score())])
    assert (line.found, line.chance, line.interval) == ("30.0 %", "1.0 %", "0.0 to 2.0 %")
    assert line.coverage == "1,200 of 3,000"
    assert (line.sign, line.word, line.look) == ("✓", "learned", "success")


def test_every_standing_has_a_sign_and_a_word_of_its_own():
    lines = find_scores([answer("x", *(score(standing) for standing in STANDINGS))])
    assert [(line.sign, line.word) for line in lines] == [
        ("✓", "learned"),
        ("=", "at chance"),
        ("✗", "below chance"),
        ("?", "unknown"),
    ]


def test_a_number_that_does_not_exist_keeps_its_reason_and_has_no_picture():
    missing = dict.fromkeys(("value", "chance", "low", "high"))
    (line,) = find_scores([answer("x", score("unknown", reason="no pairs", **missing))])
    assert (line.found, line.interval, line.reason, line.place) == ("unknown", "", "no pairs", {})


def test_the_picture_holds_the_band_of_chance_and_the_value_in_their_order():
    (line,) = find_scores([answer("x", score())])
    low, width, chance, value = (line.place[name] for name in ("low", "width", "chance", "value"))
    assert 0 < low < chance < low + width < value < 100
    (flat,) = find_scores([answer("x", score("chance", value=0.0, chance=0.0, low=0.0, high=0.0))])
    assert flat.place["width"] == 0


def test_what_was_learned_comes_first_by_the_first_score_of_a_question():
    groups = group_scores(
        [
            answer("none"),
            answer("below", score("below chance"), score("learned")),
            answer("chance", score("chance")),
            answer("good", score("learned"), score("unknown")),
        ]
    )
    assert [probe for probe, _, _ in groups] == ["good", "chance", "below"]
    assert groups[0][1] == "What of good?"


def test_one_sentence_counts_questions_and_not_the_ways_in_which_they_were_measured():
    asked = {
        "analogies": ("learned", "chance", "learned"),
        "pairs": ("learned", "unknown"),
        "cloze": ("chance", "chance"),
        "senses": ("chance", "below chance"),
        "head": ("unknown",),
    }
    groups = group_scores([answer(probe, *map(score, standings)) for probe, standings in asked.items()])
    assert say_scores(groups, "E") == (
        "Of 5 questions put to E, with 10 numbers: 1 better than chance, 1 better by some of its numbers only, 1 no "
        "better than chance, 1 worse than chance, 1 could not be asked."
    )
    assert say_scores(group_scores([answer("pairs", score())]), "U") == "Of 1 question put to U: 1 better than chance."
    assert say_scores([], "E") == ""


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (0.0123, "share", "1.2 %"),
        (None, "share", "unknown"),
        (56.71, "", "56.7"),
        (12345.6, "", "12,346"),
        (0.00002, "", "0.000"),
        (-0.223, "rank correlation", "-0.223"),
    ],
)
def test_a_value_is_said_in_its_unit(value, unit, said):
    assert say_value(value, unit) == said
