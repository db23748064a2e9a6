"""Hubs: a star whose middle is everyone's neighbour, and scipy's skewness."""

import numpy as np
import pytest
from scipy.stats import skew

from rowspace.geometry.hubness import count_occurrences, measure_hubness, measure_robin_hood
from rowspace.geometry.nearest import find_closest
from rowspace.table import Missing

STAR = np.array([[0, 0], [0.9, 0], [-1, 0], [0, 1.1], [0, -1.2]])


def test_the_middle_of_a_star_is_the_neighbour_of_all():
    ids, _ = find_closest(STAR, np.arange(5), k=1)
    occurrences = count_occurrences(ids, 5)
    assert occurrences.tolist() == [4, 1, 0, 0, 0]
    assert measure_hubness(occurrences) == pytest.approx(1.29099, rel=1e-5)
    assert measure_robin_hood(occurrences) == pytest.approx(0.6)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_occurrences_add_up_to_every_place_there_is(k):
    table = np.random.default_rng(0).standard_normal((150, 6))
    ids, _ = find_closest(table, np.arange(150), k=k)
    occurrences = count_occurrences(ids, 150)
    assert occurrences.sum() == 150 * k
    assert measure_hubness(occurrences) == pytest.approx(skew(occurrences))
    assert measure_robin_hood(occurrences) == pytest.approx(np.abs(occurrences - k).sum() / (2 * 150 * k))


def test_equal_occurrences_have_no_skewness_and_no_neighbour_no_index():
    assert isinstance(measure_hubness(np.full(5, 3)), Missing)
    assert measure_robin_hood(np.full(5, 3)) == 0
    assert isinstance(measure_hubness(np.zeros(0)), Missing)
    assert isinstance(measure_robin_hood(count_occurrences(np.full((2, 3), -1), 4)), Missing)
