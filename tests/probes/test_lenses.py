"""Neighbours kept and cosines to the own row, against plain loops."""

import numpy as np
import pytest

from rowspace.probes.lenses import find_neighbour_ids, measure_overlap, measure_own_row
from rowspace.table import Missing


def test_two_of_three_neighbours_kept_are_two_thirds():
    assert measure_overlap(np.array([[1, 2, 3]]), np.array([[2, 3, 4]])) == pytest.approx([0.666667], rel=1e-5)
    assert measure_overlap(np.array([[1, -1]]), np.array([[-1, 1]])) == pytest.approx([0.5])


def test_neighbours_are_the_nearest_by_cosine_and_never_the_row_itself():
    rows = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    found = find_neighbour_ids(rows, 5)
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    for i in range(30):
        order = [j for j in np.argsort(-(units @ units[i])) if j != i][:5]
        assert found[i].tolist() == order
    assert find_neighbour_ids(rows[:3], 5).shape == (3, 2)


def test_the_same_rows_keep_all_neighbours_at_any_scale_and_unrelated_ones_keep_chance():
    generator = np.random.default_rng(1)
    rows = generator.normal(size=(400, 16)).astype(np.float32)
    raw = find_neighbour_ids(rows, 10)
    assert measure_overlap(raw, find_neighbour_ids(rows * 2, 10)).mean() == 1.0
    other = find_neighbour_ids(generator.normal(size=(400, 16)).astype(np.float32), 10)
    assert measure_overlap(raw, other).mean() == pytest.approx(10 / 399, abs=0.006)


def test_a_state_that_is_its_row_has_cosine_one_and_none_with_the_rows_of_others():
    rows = np.eye(9, dtype=np.float32)
    assert measure_own_row(rows * 3, rows, seed=0) == (1.0, 0.0)
    own, other = measure_own_row(np.roll(rows, 1, axis=0), rows, seed=0)
    assert own == 0.0
    assert other <= 1.0
    assert isinstance(measure_own_row(np.zeros((3, 2)), np.ones((3, 2)), seed=0), Missing)
