"""Norms, unit rows and the rows that a measure speaks of."""

import numpy as np
import pytest

from rowspace.geometry.rows import (
    Units,
    blocks,
    find_text_rows,
    measure_distance_range,
    measure_largest,
    measure_norms,
    multiply,
    pick,
    unit_rows,
)
from rowspace.table import TokenTable


def test_norms_are_those_of_numpy_across_blocks_and_at_any_size():
    table = np.random.default_rng(0).standard_normal((17_000, 3))
    np.testing.assert_allclose(measure_norms(table), np.linalg.norm(table, axis=1), rtol=1e-12)
    np.testing.assert_allclose(measure_norms(table[:5] * 1e200), np.linalg.norm(table[:5], axis=1) * 1e200, rtol=1e-12)


def test_unit_rows_keep_direction_and_leave_zero_rows_alone():
    units, norms = unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32))
    np.testing.assert_allclose(units, [[0.6, 0.8], [0, 0]], rtol=1e-6)
    assert norms.tolist() == [5.0, 0.0]


def test_units_made_when_asked_for_are_the_unit_rows_and_their_products_those_of_the_whole():
    table = np.random.default_rng(0).standard_normal((9_000, 7)).astype(np.float32)
    table[3] = 0
    whole, lazy = unit_rows(table)[0], Units(table)
    assert (len(lazy), lazy.shape) == (9_000, (9_000, 7))
    for key in (slice(5, 9), np.array([7, 3, 3]), np.array([[1, 2], [3, 4]]), np.ix_([8, 3], [0, 6])):
        np.testing.assert_array_equal(lazy[key], whole[key])
    np.testing.assert_allclose(multiply(whole[:4], lazy), whole[:4] @ whole.T, atol=1e-6)


def test_special_and_never_seen_tokens_are_no_text_rows():
    vectors, tokens = np.ones((5, 2), dtype=np.float32), list("abcde")
    counts = np.array([9, 0, 3, 4, 0])
    assert find_text_rows(TokenTable(vectors, tokens, counts, frozenset({0}))).tolist() == [2, 3]
    assert find_text_rows(TokenTable(vectors, tokens, None, frozenset({0}))).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("rows", [[2, 3, 4], [0, 3, 9], [], list(range(10))])
def test_picked_rows_are_those_of_the_table_without_a_copy_of_it(rows):
    table = np.arange(20.0).reshape(10, 2)
    picked = pick(table, np.array(rows, dtype=np.int64))
    assert picked.shape == (len(rows), 2)
    assert len(picked) == len(rows)
    np.testing.assert_array_equal(picked[:], table[rows])
    np.testing.assert_array_equal(np.concatenate([np.zeros((0, 2)), *blocks(picked)]), table[rows])
    if len(rows) > 2:
        np.testing.assert_array_equal(picked[np.array([2, 0])], table[rows][[2, 0]])
        assert rows == [0, 3, 9] or np.shares_memory(picked[:], table)


def test_the_largest_value_is_found_whatever_its_sign():
    assert measure_largest(np.array([[1.0, -7], [3, 0]])) == 7
    assert measure_largest(np.zeros((0, 3))) == 0


def test_the_range_of_distances_is_that_of_the_nearest_and_the_farthest_pair():
    near, far = measure_distance_range(np.array([[0, 0], [3, 4], [3, 5]], dtype=np.float32))
    assert (near, far) == pytest.approx((1.0, np.sqrt(34)))
    assert measure_distance_range(np.eye(5)) == pytest.approx((np.sqrt(2), np.sqrt(2)))
