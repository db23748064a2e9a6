"""Senses: planted ones are found, exchanged labels score chance, and what the sets share is not taken for a sense."""

import math

import numpy as np
import pytest
from sklearn.metrics import silhouette_score
from sklearn.neighbors import NearestCentroid

from rowspace.probes.senses import (
    Labelled,
    centre,
    find_apart,
    find_labelings,
    find_verdicts,
    gather,
    measure_senses,
    measure_shift,
    measure_silhouette,
    pool,
)


def labelled(K: int, sets: int, *, seen=None) -> Labelled:
    numbers = np.repeat(np.arange(sets), K)
    senses = np.tile(np.arange(K), sets)
    return Labelled(senses, numbers, find_apart(numbers, senses, seen or [()] * (K * sets)))


def planted(known: Labelled, *, strength: float, seed: int, d: int = 16) -> np.ndarray:
    generator = np.random.default_rng(seed)
    centres = generator.normal(size=(known.senses.max() + 1, d))
    return strength * centres[known.senses] + generator.normal(size=(len(known.senses), d)) + 5


def ask(rows: np.ndarray, known: Labelled, *, most: int = 5000, seed: int = 0):
    labelings = find_labelings(known, most=most, seed=seed)
    return labelings, *measure_senses(centre(rows), known.apart, labelings)


@pytest.mark.parametrize("K", [2, 3])
def test_planted_senses_are_told_every_time_and_by_no_exchange_of_labels(K):
    known = labelled(K, 6)
    labelings, separation, accuracy = ask(planted(known, strength=3.0, seed=1), known)
    assert accuracy[0] == 1.0
    assert separation[0] > 0.5
    assert labelings.p_value(separation) <= math.factorial(K) / len(labelings.labels) + 1e-12
    assert find_verdicts(centre(planted(known, strength=3.0, seed=1)), known).tolist() == known.senses.tolist()


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("strength", [0.0, 0.7, 3.0])
def test_the_silhouette_is_that_of_scikit_learn_where_all_may_be_compared(K, strength):
    known = labelled(K, 6)
    units = centre(planted(known, strength=strength, seed=K))
    everything = ~np.eye(len(units), dtype=bool)
    labelings = find_labelings(known, most=30, seed=0)
    found = measure_silhouette(units, everything, labelings)
    theirs = [silhouette_score(units, labels, metric="cosine") for labels in labelings.labels]
    np.testing.assert_allclose(found, theirs, atol=1e-12)


def test_the_silhouette_of_planted_senses_leaves_its_null_and_a_sense_alone_counts_nothing():
    known = labelled(2, 6)
    labelings = find_labelings(known, most=5000, seed=0)
    found = measure_silhouette(centre(planted(known, strength=3.0, seed=1)), known.apart, labelings)
    assert found[0] > 0.5
    assert labelings.p_value(found) <= 2 / len(found) + 1e-12
    nothing = [
        labelings.p_value(measure_silhouette(centre(planted(known, strength=0.0, seed=s)), known.apart, labelings))
        for s in range(20)
    ]
    assert sum(p <= 0.1 for p in nothing) <= 6
    none = np.zeros_like(known.apart)
    assert measure_silhouette(centre(planted(known, strength=3.0, seed=1)), none, labelings).tolist() == [0.0] * len(
        found
    )
    assert measure_silhouette(np.zeros((12, 4)), known.apart, labelings).max() == 0.0  # one state for all


def test_states_without_senses_score_chance_over_twenty_seeds():
    known = labelled(2, 6)
    found, p = [], []
    for seed in range(20):
        labelings, separation, accuracy = ask(planted(known, strength=0.0, seed=seed), known)
        found.append(accuracy[0])
        p.append(labelings.p_value(separation))
        assert accuracy.mean() == pytest.approx(0.5)
    assert np.mean(found) == pytest.approx(0.5, abs=0.12)
    assert sum(value <= 0.1 for value in p) <= 6
    assert 0.3 < np.mean(p) < 0.8


def test_one_state_for_all_is_exactly_chance_whatever_the_labels():
    known = labelled(3, 4)
    labelings, separation, accuracy = ask(np.tile(np.float32([0.1, 0.7, -3.0]), (12, 1)), known)
    assert (separation == 0).all()
    assert accuracy == pytest.approx(np.full(len(labelings.labels), 1 / 3), rel=1e-12)
    assert labelings.p_value(separation) == 1.0
    assert (find_verdicts(centre(np.ones((12, 2))), known) == -1).all()


def test_rounding_is_no_direction():
    row = np.random.default_rng(0).normal(size=16).astype(np.float32)
    noisy = np.stack([np.nextafter(row, np.float32(side)) for side in (-9, 9) * 6])
    assert len(np.unique(noisy, axis=0)) == 2
    assert (centre(noisy) == 0).all()
    assert np.linalg.norm(centre(noisy + np.eye(12, 16) * 1e-3), axis=1) == pytest.approx(np.ones(12))


def test_what_a_set_shares_is_not_taken_for_a_sense():
    known = labelled(2, 6)
    shared = np.random.default_rng(0).normal(size=(6, 8))[known.sets]  # a position, or the words before the target
    _, separation, accuracy = ask(shared, known)
    assert separation == pytest.approx(np.zeros(len(separation)), abs=1e-12)
    assert accuracy == pytest.approx(np.full(len(accuracy), 0.5))
    louder = shared * 2 + planted(known, strength=2.0, seed=3, d=8) - 5
    assert ask(louder, known)[2][0] > 0.8


def test_sentences_with_a_telling_token_in_common_are_not_compared():
    """Each sense has a word of its own in two sentences: a random mixture of words finds these alike."""
    seen = [{10 + 100 * sense + number // 2, 7} for number in range(6) for sense in range(2)]
    words = np.random.default_rng(1).normal(size=(700, 32))
    known = labelled(2, 6, seen=seen)
    mixed = np.stack([words[sorted(each)].mean(axis=0) for each in seen])
    assert ask(mixed, labelled(2, 6))[2][0] > 0.9
    assert not known.apart[0, 2]
    assert known.apart[0, 4]
    telling = [max(each) for each in seen]
    found = [ask(np.random.default_rng(s).normal(size=(700, 32))[telling], known)[2][0] for s in range(20)]
    assert np.mean(found) == pytest.approx(0.5, abs=0.15)


def test_a_token_of_more_than_a_third_of_the_sentences_of_each_sense_tells_nothing():
    sets, senses = np.arange(8), np.repeat([0, 1], 4)
    two_and_two = [{1}, {1}, (), (), {1}, {1}, (), ()]
    assert find_apart(sets, senses, two_and_two)[0, 1]
    assert not find_apart(sets, senses, [*two_and_two[:5], (), (), ()])[0, 1]


def test_a_token_of_every_sentence_of_one_sense_alone_tells_it_best():
    """A frame of a sense's own ("is the capital of"): half of all sentences have it, and a random mixture knows it."""
    known = labelled(2, 6, seen=[{1, 2, 10 + n} if n % 2 else {3, 4, 10 + n} for n in range(12)])
    assert not known.apart.reshape(6, 2, 6, 2)[:, 0, :, 0].any()
    assert known.apart.reshape(6, 2, 6, 2)[:, 0, :, 1].sum() == 30
    assert not known.comparable


def test_separation_and_accuracy_are_those_of_plain_loops_and_of_scikit_learn():
    known = labelled(3, 5)
    units = centre(planted(known, strength=0.7, seed=5))
    labelings = find_labelings(known, most=50, seed=2)
    separations, accuracies = measure_senses(units, known.apart, labelings)
    for row in (0, 7, 33):
        labels = labelings.labels[row]
        pairs = [(i, j) for i in range(15) for j in range(15) if known.sets[i] != known.sets[j]]
        alike = [units[i] @ units[j] for i, j in pairs if labels[i] == labels[j]]
        other = [units[i] @ units[j] for i, j in pairs if labels[i] != labels[j]]
        assert separations[row] == pytest.approx(np.mean(alike) - np.mean(other), rel=1e-9)
        right = 0
        for i in range(15):
            near = [
                np.mean([units[i] @ units[j] for j in range(15) if (i, j) in pairs and labels[j] == k])
                for k in range(3)
            ]
            right += int(np.argmax(near) == labels[i])
        assert accuracies[row] == pytest.approx(right / 15)


def test_scikit_learns_nearest_centroids_agree_where_senses_lie_apart():
    known = labelled(3, 5)
    units = centre(planted(known, strength=2.0, seed=5))
    verdicts = find_verdicts(units, known)
    for i in range(15):
        rest = known.sets != known.sets[i]
        assert NearestCentroid().fit(units[rest], known.senses[rest]).predict(units[i : i + 1])[0] == verdicts[i]


def test_a_sense_with_fewer_sentences_to_compare_is_not_shunned():
    sets = np.repeat(np.arange(8), 2)
    senses = np.tile([0, 1], 8)
    apart = (sets[:, None] != sets[None]) & ~((senses[:, None] == 0) & (senses[None] == 0) & (sets[None] // 4 == 0))
    known = Labelled(senses, sets, apart)
    found = [ask(np.random.default_rng(s).normal(size=(16, 48)), known)[2][0] for s in range(60)]
    assert np.mean(found) == pytest.approx(0.5, abs=0.06)


def test_labels_are_exchanged_within_sets_all_ways_where_these_are_few():
    known = labelled(3, 3)
    all_of_them = find_labelings(known, most=216, seed=0)
    assert all_of_them.exact
    assert len({tuple(row) for row in all_of_them.labels.tolist()}) == 216
    drawn = find_labelings(known, most=100, seed=0)
    assert not drawn.exact
    assert len(drawn.labels) == 101
    for found in (all_of_them, drawn):
        assert found.labels[0].tolist() == known.senses.tolist()
        for one in range(3):
            assert (np.sort(found.labels[:, known.sets == one], axis=1) == [0, 1, 2]).all()


def test_sets_without_every_sense_are_exchanged_among_those_they_have():
    known = Labelled(np.array([0, 1, 0, 1, 0]), np.array([0, 0, 1, 1, 2]), np.ones((5, 5), dtype=bool))
    assert len(find_labelings(known, most=10, seed=0).labels) == 4
    assert not Labelled(
        np.zeros(4, dtype=int), np.arange(4), find_apart(np.arange(4), np.zeros(4, dtype=int), [()] * 4)
    ).comparable
    assert not labelled(2, 1).comparable
    assert labelled(2, 2).comparable


def test_states_shift_toward_the_anchors_of_their_sense():
    known = labelled(2, 6)
    anchors = np.vstack([np.eye(4)[0] + 3, np.eye(4)[1] + 3])
    weights = np.zeros((12, 2, 2))
    weights[:, 0, 0] = weights[:, 1, 1] = 1
    labelings = find_labelings(known, most=100, seed=0)
    toward = centre(np.eye(4)[known.senses] + 0.01 * np.random.default_rng(0).normal(size=(12, 4)))
    found = measure_shift(toward, anchors, weights, labelings)
    assert found[0] > 1.9
    assert found.mean() == pytest.approx(0, abs=1e-9)
    assert measure_shift(-toward, anchors, weights, labelings)[0] < -1.9
    weights[:, 1] = 0
    assert (measure_shift(toward, anchors, weights, labelings) == 0).all()


def test_words_are_pooled_as_independent_and_a_null_that_cannot_vary_is_a_point():
    value, null, p = pool([np.array([0.5, 0.5])] * 4, [1, 2, 3, 4], range(4), draws=1000, seed=0)
    assert value == pytest.approx(0.5)
    assert null.low <= value <= null.high
    assert null.high - null.low < 1e-8
    assert p == 1.0
    coins = [np.array([1.0, 0.0, 1.0, 0.0])] * 12
    value, null, p = pool(coins, [1] * 12, range(12), draws=50_000, seed=0)
    assert value == 1.0
    assert null.chance == pytest.approx(0.5)
    assert (null.low, null.high) == pytest.approx((1 / 12, 11 / 12), abs=0.09)
    assert p == pytest.approx(2**-12, abs=3e-4)


def test_words_that_share_their_luck_count_as_one():
    coins = [np.array([1.0, 0.0, 1.0, 0.0])] * 12
    _, null, p = pool(coins, [1] * 12, [0] * 12, draws=5000, seed=0)
    assert (null.low, null.high) == pytest.approx((0, 1), abs=1e-6)
    assert p == pytest.approx(0.5, abs=0.05)


def test_a_word_of_several_pieces_is_the_mean_of_theirs():
    rows = np.arange(12.0).reshape(6, 2)
    assert gather(rows, [[1], [2]]).tolist() == [[2, 3], [4, 5]]
    assert gather(rows, [[0, 1, 2], [5]]).tolist() == [[2, 3], [10, 11]]
