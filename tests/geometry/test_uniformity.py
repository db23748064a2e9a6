"""Uniformity: worked corners, its limit for random directions, and scipy's pair distances."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from rowspace.geometry.uniformity import PAIR_BLOCK, measure_uniformity, sample_rows
from rowspace.table import Missing


def test_the_corners_of_a_square_count_each_pair_once_and_no_row_with_itself():
    corners = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]])
    assert measure_uniformity(corners, seed=0) == pytest.approx(-4.39635, rel=1e-5)
    assert measure_uniformity(corners * 7, seed=0) == pytest.approx(-4.39635, rel=1e-5)


def test_random_directions_come_near_the_limit_of_minus_four_and_eight_over_d():
    table = np.random.default_rng(0).standard_normal((6000, 128)).astype(np.float32)
    assert measure_uniformity(table, seed=0) == pytest.approx(-3.9375, abs=0.02)


def test_another_librarys_distances_give_the_same():
    table = np.random.default_rng(1).standard_normal((PAIR_BLOCK + 70, 5))
    units = table / np.linalg.norm(table, axis=1)[:, None]
    wanted = np.log(np.exp(-2 * pdist(units, "sqeuclidean")).mean())
    assert measure_uniformity(np.vstack([table, np.zeros((3, 5))]), seed=0) == pytest.approx(wanted, rel=1e-5)


def test_a_sample_is_seeded_and_holds_every_row_where_there_are_few():
    assert sample_rows(5, 5, 0).tolist() == [0, 1, 2, 3, 4]
    one, again, other = sample_rows(100, 7, 1), sample_rows(100, 7, 1), sample_rows(100, 7, 2)
    assert len(set(one.tolist())) == 7
    np.testing.assert_array_equal(one, again)
    assert one.tolist() != other.tolist()
    assert (np.diff(one) > 0).all()


def test_one_direction_makes_no_pair():
    assert isinstance(measure_uniformity(np.array([[1.0, 2], [0, 0]]), seed=0), Missing)
