"""The similarity probe: ratings that cosines follow are learned, others are chance, and gensim may be absent."""

import numpy as np
import pytest

from rowspace.errors import ConfigError
from rowspace.probes import questions
from tests.parts import option
from tests.probing.worded import WORDS, ask, bare, holds, rows


def rated(tmp_path, vectors: np.ndarray, *, follow: float):
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    generator, lines = np.random.default_rng(0), ["# made by a test"]
    for i in range(1, 161, 2):
        rating = follow * units[i] @ units[i + 1] + 0.1 * generator.standard_normal()
        lines.append(f"{WORDS[i - 1]}\t{WORDS[i]}\t{rating:.4f}")
    file = tmp_path / "ratings.tsv"
    file.write_text("\n".join([*lines, "unicorn\tking\t3"]))
    return str(file)


def test_ratings_that_cosines_follow_are_learned(tmp_path):
    vectors = rows(1)
    found = ask("similarity", bare(vectors), ratings=rated(tmp_path, vectors, follow=1.0), resamples=500)
    holds(found, tmp_path / "out")
    (score,) = found.scores
    assert score.standing == "learned"
    assert (score.n, score.asked) == (80, 81)
    low, high = (found.numbers[f"probe/similarity/ratings_{end}"] for end in ("low", "high"))
    assert low < score.value < high
    assert {line[3] for line in found.shown[1].rows} == {"✓ agrees", "✗ differs"}


def test_both_sets_of_gensim_are_asked_and_random_rows_are_chance():
    for seed in range(5):
        found = ask("similarity", bare(rows(seed), seed=seed), resamples=100)
        assert [score.key.rpartition("/")[2] for score in found.scores] == ["wordsim353", "simlex999"]
        assert all(score.standing == "chance" for score in found.scores)
        assert [score.asked for score in found.scores] == [353, 999]


def test_without_gensim_the_probe_does_not_fit_and_says_what_would_help(monkeypatch):
    monkeypatch.setattr(questions, "find_spec", lambda name: None)
    chosen = option("probe", "similarity")
    assert "rowspace[ladder]" in chosen.fits(bare(rows(0)))
    with pytest.raises(ConfigError, match=r"rowspace\[ladder\]"):
        ask("similarity", bare(rows(0)))
    assert option("probe", "similarity", ratings="mine.tsv").fits(bare(rows(0))) is None


def test_a_synthetic_corpus_is_not_asked_about_english():
    assert "synthetic" in option("probe", "similarity").fits(bare(rows(0), truth={"classes": {"a": "b"}}))
    assert option("probe", "similarity").fits(bare(rows(0))) is None


def test_a_file_that_is_not_there_is_a_problem(tmp_path):
    chosen = option("probe", "similarity", ratings=str(tmp_path / "gone"))
    assert "similarity.ratings" in str(next(iter(chosen.problems(None))))


def test_pairs_of_a_table_that_orders_them_the_other_way_round_are_no_successes(tmp_path):
    vectors = rows(3)
    lines = ["# made by a test"]
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    lines += [f"{WORDS[i - 1]}\t{WORDS[i]}\t{-units[i] @ units[i + 1]:.4f}" for i in range(1, 15, 2)]
    file = tmp_path / "ratings.tsv"
    file.write_text("\n".join(lines))
    found = ask("similarity", bare(vectors), ratings=str(file), resamples=100)
    said = [line[3] for line in found.shown[1].rows]
    assert said.count("✗ differs") >= said.count("✓ agrees")
