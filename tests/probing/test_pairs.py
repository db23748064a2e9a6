"""The pairs probe: planted pairs are learned, random tables are chance, and pairs that do not count are named."""

import json

import numpy as np
import pytest

from rowspace.errors import ConfigError
from rowspace.probing.base import Subject, Tables
from rowspace.table import Missing, TokenTable
from tests.parts import option
from tests.probing.worded import HOSTILE, ID, PAIRS, ask, bare, holds, rows


def planted(seed: int):
    vectors = rows(seed)
    for one, other, _ in PAIRS:
        vectors[ID[f" {other}"]] = vectors[ID[f" {one}"]] + 0.4 * vectors[ID[f" {other}"]]
    return vectors


def test_planted_pairs_are_learned_and_the_answer_can_be_stored(tmp_path):
    found = ask("pairs", bare(planted(1)))
    holds(found, tmp_path)
    assert [score.standing for score in found.scores] == ["learned", "learned"]
    assert "beyond what frequency explains" in found.sentence
    assert found.scores[0].coverage == 1
    lines = found.rows["pairs"]
    assert len(lines) == len(PAIRS)
    assert {row["verdict"] for row in lines} == {"success", "failure"}
    assert len(found.shown[1].rows) == len(PAIRS)


def test_random_tables_are_chance_over_twenty_seeds():
    for seed in range(20):
        found = ask("pairs", bare(rows(100 + seed), seed=seed))
        assert [score.standing for score in found.scores] == ["chance", "chance"], seed


def test_without_tokenizer_and_counts_the_same_words_are_found_as_they_stand():
    with_tokenizer = ask("pairs", bare(planted(2), counted=False))
    without = ask("pairs", bare(planted(2), counted=False, encode=None))
    assert without.scores[0].value == with_tokenizer.scores[0].value
    assert without.scores[0].n == len(PAIRS)


def test_a_synthetic_corpus_is_asked_for_its_own_pairs():
    truth = {"pairs": [("cat", "kitten", "young"), ("filler1", "filler2", "made up"), (HOSTILE, "cat", "<b>")]}
    found = ask("pairs", bare(planted(3), truth=truth))
    assert [row["one"] for row in found.rows["pairs"]] == ["cat", "filler1", HOSTILE]
    assert "synthetic corpus" in found.notes[0]
    assert "<script>" not in found.figures["pairs"].to_json()


def test_pairs_that_do_not_count_are_named_with_the_reason(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"pairs": [["cat", "unicorn", "x"], ["cat", "kitten", "young"]]}))
    found = ask("pairs", bare(planted(4)), lists=str(file))
    assert found.scores[0].n == 1
    assert found.scores[0].coverage == 0.5
    assert "cat - unicorn (unicorn: missing" in found.notes[1]
    file.write_text(json.dumps({"pairs": [["cat", "unicorn", "x"]]}))
    none = ask("pairs", bare(planted(4)), lists=str(file))
    assert isinstance(none.scores[0].value, Missing)
    assert none.scores[0].standing == "unknown"
    assert none.sentence.startswith("No pair can be asked")


def test_several_tables_stand_side_by_side():
    found = ask("pairs", bare(planted(5), name="one"), bare(rows(6), name="two"))
    assert found.shown[0].title == "beside the others"
    assert [line[0] for line in found.shown[0].rows] == ["one", "two"]
    assert "learned" in found.shown[0].rows[0][1]
    assert "chance" in found.shown[0].rows[1][1]


def test_words_are_resolved_once_a_run():
    calls = []
    here = bare(planted(7), encode=lambda text: calls.append(text) or [ID.get(text, 0)])
    ask("pairs", here)
    n = len(calls)
    ask("pairs", here)
    assert len(calls) == n > 0


def test_a_list_that_is_not_there_or_is_none_is_refused(tmp_path):
    chosen = option("probe", "pairs", lists=str(tmp_path / "gone.json"))
    assert "pairs.lists" in str(next(iter(chosen.problems(None))))
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"pairs\.lists"):
        ask("pairs", bare(rows(0)), lists=str(tmp_path / "bad.json"))


def test_a_table_too_small_for_a_null_says_so_and_claims_nothing():
    tokens = [PAIRS[0][0], PAIRS[0][1], "other"]
    held = TokenTable(np.eye(3, dtype=np.float32), tokens)
    subject = Subject("t", "t", Tables({"E": lambda: held}), "E", None, {}, 0, None)
    found = ask("pairs", subject)
    assert {one.standing for one in found.scores} == {"unknown"}
    assert "chance is not known: the words can be dealt anew in 6 ways only" in found.sentence
