"""The neighbours probe: five measures beside chance, verdicts with rules, and where the lists are from."""

import json

import numpy as np

from rowspace.probes.categories import read_lists
from rowspace.probes.nearness import MEASURES
from tests.probing.worded import HOSTILE, ID, WORDS, ask, bare, holds, rows

FAST = {"draws": 100, "per_decile": 1}
LISTS = read_lists(None)


def planted(seed: int) -> np.ndarray:
    """Words of one list lie together."""
    vectors, generator = rows(seed), np.random.default_rng(seed)
    centres = {name: 2.5 * generator.standard_normal(vectors.shape[1]) for names in LISTS.values() for name in names}
    for word in WORDS:
        if word in LISTS:
            vectors[ID[f" {word}"]] += centres[min(LISTS[word])]
    return vectors


def test_planted_lists_are_learned_by_every_measure_and_the_answer_can_be_stored(tmp_path):
    found = ask("neighbours", bare(planted(1)), **FAST)
    holds(found, tmp_path)
    assert [score.key.rpartition("_")[2] for score in found.scores] == list(MEASURES)
    assert {score.standing for score in found.scores} == {"learned"}
    verdicts = {row["verdict"] for row in found.rows["neighbours_by_measure"]}
    assert verdicts >= {"success", "failure"}
    assert all(row["rule"] and row["policy"] for row in found.rows["neighbours_by_measure"])


def test_random_rows_are_chance_by_every_measure():
    for seed in range(3):
        found = ask("neighbours", bare(rows(30 + seed), seed=seed), **FAST)
        assert {score.standing for score in found.scores} == {"chance"}, seed


def test_the_measure_asked_for_is_the_one_listed():
    found = ask("neighbours", bare(planted(2)), measure_by="euclidean", **FAST)
    listed = found.rows["neighbours_by_measure"]
    assert all("euclidean" in row and row["measure"] == "euclidean" for row in listed)
    assert "distance" in found.sentence


def test_classes_of_a_synthetic_corpus_and_files_replace_our_lists(tmp_path):
    truth = {"classes": {word: "one" if i % 2 else "two" for i, word in enumerate(WORDS[:40])}}
    found = ask("neighbours", bare(planted(3), truth=truth), **FAST)
    assert "synthetic corpus" in found.notes[0]
    assert found.scores[0].asked == 40
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"categories": {"mine": ["cat", "dog", "unicorn"]}}))
    found = ask("neighbours", bare(planted(3), truth=truth), lists=str(file), **FAST)
    assert str(file) in found.notes[0]
    assert (found.scores[0].n, found.scores[0].asked) == (2, 3)


def test_a_sample_of_the_listed_words_is_said_and_seeded():
    found = ask("neighbours", bare(planted(3)), listed=50, **FAST)
    assert found.scores[0].asked == 50
    assert 5 < found.scores[0].n <= 50
    assert any("50 of" in note for note in found.notes)
    again, other = (ask("neighbours", bare(planted(3), seed=seed), listed=50, **FAST) for seed in (0, 1))
    assert again.scores[0].value == found.scores[0].value
    assert other.scores[0].value != found.scores[0].value


def test_hostile_tokens_are_shown_as_text(tmp_path):
    vectors = planted(4)
    vectors[ID[HOSTILE]] = vectors[ID[" king"]]
    found = ask("neighbours", bare(vectors), **FAST)
    holds(found, tmp_path)
    assert any(HOSTILE in cell for row in found.shown[-1].rows for cell in row)


def test_without_counts_nothing_is_under_trained_and_a_note_says_so():
    found = ask("neighbours", bare(planted(5), counted=False), **FAST)
    assert not any(row["verdict"] == "under-trained" for row in found.rows["neighbours_by_measure"])
    assert any("Nobody counted" in note for note in found.notes)
