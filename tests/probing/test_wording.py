"""What the probes of words share: names apart, missing numbers as dashes."""

from rowspace.answers import Score
from rowspace.probes.chance import Null
from rowspace.probing.wording import names_of, number, percent, score, side_by_side, token, verdict
from rowspace.table import Missing
from tests.probing.subjects import subject
from tests.probing.worded import bare, rows


def test_tables_of_one_name_go_by_their_path_and_runs_by_their_knobs(tmp_path):
    assert names_of([bare(rows(0), name="a"), bare(rows(0), name="b")]) == ["a", "b"]
    runs = [subject(tmp_path, "seed=1", name="one"), subject(tmp_path, "seed=2", name="two")]
    assert names_of(runs) == ["seed 1", "seed 2"]
    assert names_of([runs[0], bare(rows(0))]) == ["one", "table"]


def test_a_score_takes_its_interval_from_the_null_or_says_why_there_is_none():
    found = score("k", "l", 0.5, Null(0.1, 0.0, 0.2), n=3, asked=4)
    assert (found.chance, found.low, found.high, found.standing) == (0.1, 0.0, 0.2, "learned")
    none = score("k", "l", Missing("why"), Missing("why"), n=0, asked=4)
    assert none.standing == "unknown"


def test_missing_numbers_are_dashes_and_tokens_are_visible():
    assert number(None) == number(Missing("x")) == percent(Missing("x")) == token(None) == "-"
    assert number(0.12345) == "0.123"
    assert percent(0.5) == "50.0 %"
    assert token(" king") == "␣king"
    assert verdict("tie") == "= tie"


def test_one_subject_alone_has_nothing_beside_it():
    one = Score("k", "l", 0.5, 0.1, 0.0, 0.2, 1, 1)
    assert side_by_side(["a"], [[one]], number) == []
    assert side_by_side(["a", "b"], [[one], [one]], number)[0].rows == [
        ["a", "0.500 (learned)"],
        ["b", "0.500 (learned)"],
    ]
