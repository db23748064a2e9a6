"""Spearman with ratings of people: scipy's rho and intervals that cover, ties by average ranks."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from rowspace.geometry.frequency import measure_spearman
from rowspace.probes.similarity import measure_similarity
from rowspace.probes.words import Word
from rowspace.table import Missing, TokenTable

V = 300


def word(id_: int) -> Word:
    return Word(f"w{id_}", (id_,), "one piece")


def rated(vectors: np.ndarray, seed: int, n: int = 80, *, truth: float = 0.0):
    """n pairs whose rating is the cosine times `truth` plus noise, in steps of 0.25."""
    generator = np.random.default_rng(seed)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    pairs = generator.permutation(V)[: 2 * n].reshape(n, 2)
    cosines = (units[pairs[:, 0]] * units[pairs[:, 1]]).sum(axis=1)
    ratings = np.round((truth * cosines / cosines.std() + generator.standard_normal(n)) * 4) / 4
    return [(word(int(a)), word(int(b)), float(r)) for (a, b), r in zip(pairs, ratings, strict=True)], cosines, ratings


def table_of(vectors: np.ndarray) -> TokenTable:
    return TokenTable(vectors.astype(np.float32), [f"w{i}" for i in range(V)])


def test_spearman_has_average_ranks_for_ties():
    assert measure_spearman([1, 2, 2, 4], [1, 3, 2, 4]) == pytest.approx(0.948683, abs=1e-6)
    assert measure_spearman([10, 8, 6, 1], [0.9, 0.7, 0.8, 0.1]) == pytest.approx(0.8, abs=1e-9)


def test_rho_is_that_of_scipy_over_the_pairs_that_count():
    vectors = np.random.default_rng(1).standard_normal((V, 10))
    pairs, cosines, ratings = rated(vectors, 2, truth=1.0)
    pairs.append((word(0), Word("unicorn", (), "missing"), 9.0))
    found = measure_similarity(table_of(vectors), pairs, resamples=500, seed=0)
    assert found.rho == pytest.approx(spearmanr(ratings, cosines).statistic, abs=1e-6)
    assert len(found.rows) == 80
    assert found.low < found.rho < found.high
    assert found.rho > found.null.high


def test_the_interval_is_as_wide_as_theory_says():
    vectors = np.random.default_rng(3).standard_normal((V, 10))
    pairs, *_ = rated(vectors, 4)
    found = measure_similarity(table_of(vectors), pairs, resamples=2000, seed=0)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 / np.sqrt(80 - 1), rel=0.15)
    assert found.null.high == pytest.approx(3.09 / np.sqrt(80 - 1), rel=0.1)
    assert found.null.low == pytest.approx(-found.null.high, rel=0.15)


def test_random_tables_never_pass_for_knowing():
    beyond = 0
    for seed in range(20):
        vectors = np.random.default_rng(seed).standard_normal((V, 10))
        pairs, *_ = rated(vectors, 900 + seed)
        found = measure_similarity(table_of(vectors), pairs, resamples=100, seed=seed)
        beyond += found.rho > found.null.high
    assert beyond == 0


def test_too_few_pairs_zero_rows_and_equal_cosines_give_reasons():
    vectors = np.random.default_rng(5).standard_normal((V, 4))
    pairs, *_ = rated(vectors, 6)
    assert isinstance(measure_similarity(table_of(vectors), pairs[:2], resamples=100, seed=0).rho, Missing)
    assert isinstance(measure_similarity(table_of(np.zeros((V, 4))), pairs, resamples=100, seed=0).null, Missing)
    assert isinstance(measure_similarity(table_of(np.eye(V)), pairs, resamples=100, seed=0).low, Missing)


def test_a_word_of_several_pieces_is_the_mean_of_its_rows():
    vectors = np.random.default_rng(7).standard_normal((V, 4))
    pairs, *_ = rated(vectors, 8, 5)
    several = Word("onetwo", (1, 2), "mean of 2 pieces")
    found = measure_similarity(table_of(vectors), [(several, word(3), 1.0), *pairs], resamples=100, seed=0)
    mean = (vectors[1] + vectors[2]) / 2
    wanted = mean @ vectors[3] / np.linalg.norm(mean) / np.linalg.norm(vectors[3])
    assert found.rows[0]["cosine"] == pytest.approx(wanted, abs=1e-6)
