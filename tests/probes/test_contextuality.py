"""Ethayarajh's measures: the numbers of the checks, oracles by plain loops, and what has no answer."""

import numpy as np
import pytest

from rowspace.probes.contextuality import (
    draw_occurrences,
    measure_intra_sentence,
    measure_mev,
    measure_mev_baseline,
    measure_self_similarity,
)
from rowspace.table import Missing

THREE = np.array([[2.0, 1.0], [1.0, 2.0], [3.0, 2.0]])


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_three_occurrences_have_the_self_similarity_and_the_uncentred_mev_of_the_paper():
    assert measure_self_similarity(THREE) == pytest.approx(0.88684, rel=1e-5)
    assert measure_mev(THREE) == pytest.approx(0.948164, rel=1e-5)
    assert measure_mev(THREE - THREE.mean(axis=0)) == pytest.approx(0.75)  # what the paper's code computes


def test_two_orthogonal_words_lie_at_one_over_root_two_of_their_sentence():
    assert measure_intra_sentence(np.eye(2), np.array([2])) == pytest.approx([0.707107], rel=1e-5)


def test_sentences_are_kept_apart_and_one_of_a_single_token_is_one():
    rows = np.random.default_rng(0).normal(size=(6, 3))
    found = measure_intra_sentence(rows, np.array([2, 1, 3]))
    for value, part in zip(found, (rows[:2], rows[2:3], rows[3:]), strict=True):
        mean = sum(part) / len(part)
        assert value == pytest.approx(sum(cosine(row, mean) for row in part) / len(part), rel=1e-12)
    assert found[1] == pytest.approx(1.0)


def test_one_row_seen_again_and_again_is_exactly_one_and_any_other_is_less():
    row = np.random.default_rng(1).normal(size=7).astype(np.float32)
    same = np.tile(row, (9, 1))
    assert measure_self_similarity(same) == 1.0
    same[0, 0] += 1e-3
    assert measure_self_similarity(same) < 1.0


def test_self_similarity_is_the_mean_over_all_pairs_and_mev_the_first_of_the_singular_values():
    rows = np.random.default_rng(2).normal(size=(11, 5)) + 1
    pairs = [cosine(rows[i], rows[j]) for i in range(11) for j in range(11) if i != j]
    assert measure_self_similarity(rows) == pytest.approx(np.mean(pairs), rel=1e-12)
    for shape in ((11, 5), (4, 9)):
        rows = np.random.default_rng(3).normal(size=shape)
        sigma = np.linalg.svd(rows, compute_uv=False)
        assert measure_mev(rows) == pytest.approx(sigma[0] ** 2 / (sigma**2).sum(), rel=1e-12)


def test_what_has_no_direction_is_missing_with_a_reason():
    assert isinstance(measure_self_similarity(np.zeros((3, 2))), Missing)
    assert isinstance(measure_self_similarity(np.ones((1, 2))), Missing)
    assert isinstance(measure_mev(np.zeros((3, 2))), Missing)
    assert isinstance(measure_mev(np.zeros((0, 2))), Missing)
    assert isinstance(measure_mev_baseline(np.ones((2, 2)), 3, draws=2, seed=0), Missing)
    assert len(measure_intra_sentence(np.zeros((0, 2)), np.zeros(0, dtype=np.int64))) == 0


def test_the_baseline_draws_one_eligible_token_of_each_sentence_and_groups_of_the_size_asked():
    sentences = np.repeat([0, 1, 2, 3], [5, 1, 3, 4])
    eligible = np.ones(13, dtype=bool)
    eligible[[5, 6]] = False  # the second sentence has none left
    drawn = draw_occurrences(sentences, eligible, seed=4)
    assert sentences[drawn].tolist() == [0, 2, 3]
    assert eligible[drawn].all()
    rows = np.eye(8)
    assert measure_mev_baseline(rows, 4, draws=5, seed=0) == pytest.approx(1 / 4)


def test_every_token_of_a_sentence_can_be_drawn():
    drawn = {int(draw_occurrences(np.zeros(3, dtype=int), np.ones(3, dtype=bool), seed=seed)[0]) for seed in range(40)}
    assert drawn == {0, 1, 2}
