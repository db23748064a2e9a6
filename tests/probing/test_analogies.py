"""The analogies probe: three numbers and a gain, our questions and the Google set, and what is skipped."""

import numpy as np

from rowspace.probing import analogies_telling
from rowspace.table import Missing
from tests.probing.worded import ID, SECTIONS, ask, bare, holds, rows


def planted(seed: int) -> np.ndarray:
    """Every section has an offset of its own; the second word of a pair is the first plus it."""
    vectors, generator = rows(seed), np.random.default_rng(seed)
    for questions in SECTIONS.values():
        shift = 1.2 * generator.standard_normal(vectors.shape[1])
        for a, star in dict.fromkeys((q[0], q[1]) for q in questions):
            vectors[ID[f" {star}"]] = vectors[ID[f" {a}"]] + shift + 0.2 * vectors[ID[f" {star}"]]
    return vectors


def by_key(found) -> dict:
    return {score.key.removeprefix("probe/analogies/"): score for score in found.scores}


def test_planted_offsets_are_learned_and_the_answer_can_be_stored(tmp_path):
    found = ask("analogies", bare(planted(1)))
    holds(found, tmp_path)
    scores = by_key(found)
    assert scores["accuracy"].standing == "learned"
    assert scores["gain"].standing == "learned"
    assert scores["gain"].value == scores["accuracy"].value - scores["only_b"].value
    assert "adds to closeness" in found.sentence
    assert scores["google_accuracy"].asked == 19544
    assert 0 < scores["google_accuracy"].coverage < 0.2
    sections = [row["section"] for row in found.rows["analogies"] if row["set"] == "ours"]
    assert sections == list(SECTIONS)
    verdicts = {row["verdict"] for row in found.rows["analogy_answers"]}
    assert verdicts == {"success", "failure"}


def test_random_tables_are_at_chance_over_twenty_seeds():
    for seed in range(20):
        found = ask("analogies", bare(rows(200 + seed), seed=seed), google=False)
        assert {score.standing for score in found.scores} == {"chance"}, seed
        assert by_key(found)["accuracy"].chance < 0.01


def test_a_synthetic_corpus_is_asked_its_own_questions_alone():
    truth = {"analogies": {"made up": [("cat", "kitten", "dog", "puppy"), ("dog", "puppy", "cat", "kitten")]}}
    found = ask("analogies", bare(planted(2), truth=truth))
    assert {row["section"] for row in found.rows["analogies"]} == {"made up"}
    assert not any("google" in score.key for score in found.scores)


def test_without_gensim_a_note_says_what_would_bring_the_google_set(monkeypatch):
    monkeypatch.setattr(analogies_telling, "find_gensim_file", lambda name: None)
    found = ask("analogies", bare(planted(3)))
    assert not any("google" in score.key for score in found.scores)
    assert any("rowspace[ladder]" in note for note in found.notes)


def test_questions_of_ones_own_may_have_either_format_and_may_all_be_missing(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text(": zoo\ncat kitten dog puppy\nunicorn foal dog puppy\n")
    found = ask("analogies", bare(planted(4)), lists=str(file), google=False)
    assert by_key(found)["accuracy"].coverage == 0.5
    file.write_text(": zoo\nunicorn foal dog puppy\n")
    none = ask("analogies", bare(planted(4)), lists=str(file), google=False)
    assert isinstance(by_key(none)["gain"].value, Missing)
    assert "No analogy can be asked" in none.sentence


def test_one_hot_rows_have_no_answer_but_ties():
    found = ask("analogies", bare(np.eye(len(ID), dtype=np.float32)), google=False)
    assert by_key(found)["accuracy"].value == 0
    assert {row["verdict"] for row in found.rows["analogy_answers"]} == {"tie"}


def test_tables_stand_side_by_side():
    found = ask("analogies", bare(planted(5), name="one"), bare(rows(6), name="two"), google=False)
    assert [line[0] for line in found.shown[0].rows] == ["one", "two"]
