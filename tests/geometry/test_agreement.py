"""Overlap, Jaccard and CKA: worked sets and columns, and the floor that unrelated tables have."""

import numpy as np
import pytest

from rowspace.geometry.agreement import (
    count_shared,
    find_chance_overlap,
    find_cka_floor,
    measure_cka,
    measure_jaccard,
    measure_overlap,
)
from rowspace.geometry.nearest import find_closest
from rowspace.geometry.rows import BLOCK
from rowspace.table import Missing


def test_two_of_three_in_common_are_two_thirds_and_half_of_all():
    one, two = np.array([[1, 2, 3]]), np.array([[2, 3, 4]])
    assert measure_overlap(one, two) == pytest.approx(2 / 3)
    assert measure_jaccard(one, two) == pytest.approx(0.5)


def test_missing_neighbours_are_shared_by_nobody():
    shared, union = count_shared(np.array([[1, -1], [-1, -1]]), np.array([[1, -1], [3, 2]]))
    assert (shared.tolist(), union.tolist()) == ([1, 0], [1, 2])
    assert measure_overlap(np.array([[1, -1], [-1, -1]]), np.array([[1, -1], [3, 2]])) == 1
    assert isinstance(measure_overlap(np.full((1, 2), -1), np.full((1, 2), -1)), Missing)
    assert isinstance(measure_jaccard(np.full((1, 2), -1), np.full((1, 2), -1)), Missing)


def test_unrelated_tables_share_what_chance_says():
    one, two = (np.random.default_rng(seed).standard_normal((800, 20)) for seed in (0, 1))
    near = [find_closest(table, np.arange(800), k=10)[0] for table in (one, two)]
    chance = find_chance_overlap(10, 800)
    assert chance == pytest.approx(10 / 799)
    assert measure_overlap(*near) == pytest.approx(chance, abs=0.004)
    assert isinstance(find_chance_overlap(10, 1), Missing)


def test_cka_of_worked_columns():
    x, y = np.array([[1.0], [-1], [0]]), np.array([[1.0], [0], [-1]])
    assert measure_cka(x, y) == pytest.approx(0.25)


def test_cka_does_not_see_rotation_scale_or_shift():
    x = np.random.default_rng(2).standard_normal((BLOCK + 50, 5))
    turn, _ = np.linalg.qr(np.random.default_rng(3).standard_normal((5, 5)))
    assert measure_cka(x, x @ turn) == pytest.approx(1)
    assert measure_cka(x, 5 * x + 2) == pytest.approx(1)
    assert measure_cka(x * 1e-150, x * 1e150) == pytest.approx(1)


def test_two_unrelated_tables_have_the_cka_of_the_floor_and_not_zero():
    one, two = (np.random.default_rng(seed).standard_normal((4096, 128)) for seed in (4, 5))
    assert find_cka_floor(4096, 128, 128) == pytest.approx(128 / (4096 + 128))
    assert measure_cka(one, two) == pytest.approx(0.0303, rel=0.02)
    assert measure_cka(one, two[:, :32]) == pytest.approx(find_cka_floor(4096, 128, 32), rel=0.04)


def test_pairing_rows_in_another_order_is_comparing_the_ordered_table():
    one, two = (np.random.default_rng(seed).standard_normal((90, 4)) for seed in (6, 7))
    order = np.random.default_rng(8).permutation(90)
    assert measure_cka(one, two, order=order) == pytest.approx(measure_cka(one, two[order]))


@pytest.mark.parametrize("same", [np.zeros((5, 2)), np.full((5, 2), 0.1), np.zeros((0, 2))])
def test_rows_that_are_all_the_same_have_nothing_to_compare(same):
    assert isinstance(measure_cka(same, np.random.default_rng(0).standard_normal((len(same), 2))), Missing)
    with pytest.raises(ValueError, match="cannot be compared"):
        measure_cka(same, np.zeros((9, 2)))
