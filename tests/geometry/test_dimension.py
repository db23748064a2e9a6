"""TwoNN: worked pairs, sheets of known dimension, and duplicates that are counted."""

import numpy as np
import pytest

from rowspace.geometry.dimension import TwoNN, measure_twonn
from rowspace.geometry.nearest import find_closest
from rowspace.table import Missing


def estimated(table: np.ndarray, asked: np.ndarray | None = None) -> TwoNN:
    _, near = find_closest(table, np.arange(len(table)) if asked is None else asked, k=2)
    found = measure_twonn(near[:, 0], near[:, 1])
    assert isinstance(found, TwoNN)
    return found


def test_worked_distances_give_the_likeliest_and_the_unbiased_dimension():
    found = measure_twonn(np.array([1.0, 1, 2]), np.array([2.0, 1.5, 3]))
    assert isinstance(found, TwoNN)
    assert (found.likeliest, found.unbiased) == pytest.approx((1.99458, 1.32972), rel=1e-5)


def test_points_of_a_square_have_two_dimensions():
    found = estimated(np.random.default_rng(3).uniform(size=(3000, 2)))
    assert found.unbiased == pytest.approx(1.9843, abs=1.1e-3)
    assert abs(found.unbiased - 2) < 2 * found.standard_error
    assert found.standard_error == pytest.approx(2 / np.sqrt(3000), rel=0.02)


def test_a_sheet_in_many_coordinates_keeps_its_dimension_wherever_it_lies():
    random = np.random.default_rng(4)
    sheet = random.uniform(size=(2000, 3)) @ random.standard_normal((3, 40)) * 1e-3 + 5.0
    assert estimated(sheet.astype(np.float64)).unbiased == pytest.approx(3, abs=0.3)


def test_a_sample_that_asks_the_whole_table_agrees_with_all_rows():
    table = np.random.default_rng(5).uniform(size=(3000, 2))
    sampled = estimated(table, np.arange(0, 3000, 3))
    assert abs(sampled.unbiased - 2) < 3 * sampled.standard_error


def test_duplicates_are_left_out_and_counted():
    table = np.random.default_rng(6).uniform(size=(500, 2))
    found = estimated(np.vstack([table, table[:20]]))
    assert (found.n, found.duplicates) == (480, 40)
    assert np.isfinite(found.unbiased)


@pytest.mark.parametrize(("first", "second"), [([0, 0], [0, 1]), ([1], [2]), ([], []), ([1, 1, 1], [1, 1, 1])])
def test_too_few_or_equal_distances_give_a_reason(first, second):
    assert isinstance(measure_twonn(np.array(first, dtype=float), np.array(second, dtype=float)), Missing)
