"""Nulls: exact laws against enumeration and scipy, frequency matched, and never too narrow."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from rowspace.probes.chance import Null, find_groups, from_draws, measure_gain, measure_matches
from rowspace.table import TokenTable


def test_independent_questions_follow_the_binomial_law():
    n, V = 400, 50
    found, wanted = np.zeros(n, dtype=int), np.arange(n)
    null = measure_matches(found, wanted, np.zeros(n, dtype=int), np.full(n, V))
    assert null.chance == pytest.approx(1 / V)
    assert null.low == binom.ppf(0.001, n, 1 / V) / n
    assert null.high == binom.ppf(0.999, n, 1 / V) / n


def test_questions_that_share_their_answer_move_together():
    found = np.array([3] * 100)
    together = measure_matches(found, np.full(100, 7), np.zeros(10, dtype=int), np.full(100, 10))
    assert together.chance == pytest.approx(0.1)
    assert (together.low, together.high) == (0.0, 1.0)


def test_the_law_is_that_of_every_way_to_deal_the_words():
    found, wanted = [0, 0, 1, 2, 2, 2], [4, 4, 4, 5, 5, 5]
    totals = [
        sum(f == dealt[w - 4] for f, w in zip(found, wanted, strict=True))
        for dealt in itertools.product(range(6), repeat=2)
    ]
    null = measure_matches(found, wanted, np.zeros(6, dtype=int), np.full(6, 6))
    assert null.chance == pytest.approx(np.mean(totals) / 6)
    assert null.high == max(totals) / 6


def test_an_answer_of_another_frequency_can_never_be_dealt_the_right_word():
    groups = np.array([1, 1, 2, 2])
    assert measure_matches([0, 1], [2, 3], groups, np.full(2, 2)) == Null(0.0, 0.0, 0.0)
    assert measure_matches([3, 2], [2, 3], groups, np.full(2, 2)).chance == 0.5


def test_what_was_not_found_is_a_miss():
    assert measure_matches([-1, -2], [0, 1], np.zeros(2, dtype=int), np.full(2, 2)).chance == 0


def test_a_gain_is_learned_only_where_many_clusters_agree():
    alone = measure_gain([1.0] * 50 + [0.0] * 50, ["one"] * 100)
    assert alone.low < 0.5 < alone.high
    many = measure_gain([1.0] * 50 + [0.0] * 50, range(100))
    assert many.high < 0.5
    assert many.low == -many.high
    assert measure_gain([0.0, 0.0], [1, 2]) == Null(0.0, 0.0, 0.0)


def test_simulated_means_stay_within_what_is_possible():
    null = from_draws(np.array([0.0, 10.0, 100.0]), 0.0, 100.0)
    assert (null.low, null.high) == (0.0, 100.0)
    assert null.chance == pytest.approx(110 / 3)


def test_rows_change_places_within_their_tenth_and_without_counts_anywhere():
    bare = TokenTable(np.zeros((20, 2), dtype=np.float32), [str(i) for i in range(20)])
    assert set(find_groups(bare).tolist()) == {0}
    counted = TokenTable(bare.vectors, bare.tokens, np.arange(20))
    assert len(set(find_groups(counted).tolist())) == 11
