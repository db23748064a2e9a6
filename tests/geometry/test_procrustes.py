"""Procrustes: a known turn is found, scipy agrees, and unrelated tables show the floor of a fit on its own rows."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from scipy.stats import ortho_group

from rowspace.geometry.procrustes import (
    Procrustes,
    find_procrustes_floor,
    fit_linear_map,
    fit_rotation,
    measure_procrustes,
    measure_row_cosine,
)
from rowspace.table import Missing

TURN = np.array([[0.0, 1], [-1, 0]])


def measured(first: np.ndarray, second: np.ndarray, **more) -> Procrustes:
    found = measure_procrustes(first, second, seed=0, **more)
    assert isinstance(found, Procrustes)
    return found


def test_a_quarter_turn_is_recovered_exactly():
    rows = np.array([[1.0, 0], [0, 2], [1, 1]])
    turn = fit_rotation(rows, rows @ TURN)
    np.testing.assert_allclose(turn, TURN, atol=1e-12)
    np.testing.assert_allclose(rows @ turn, rows @ TURN, atol=1e-12)
    assert measure_row_cosine(rows @ turn, rows @ TURN) == pytest.approx(1)


def test_another_library_finds_the_same_turn():
    one, two = (np.random.default_rng(seed).standard_normal((60, 7)) for seed in (0, 1))
    np.testing.assert_allclose(fit_rotation(one, two), orthogonal_procrustes(one, two)[0], atol=1e-10)


def test_unrelated_tables_look_alike_on_the_rows_of_the_fit_and_not_on_others():
    one, two = (np.random.default_rng(seed).standard_normal((4096, 128)) for seed in (2, 3))
    assert find_procrustes_floor(128, 4096) == pytest.approx(0.1501, rel=1e-3)
    assert measure_row_cosine(one @ fit_rotation(one, two), two) == pytest.approx(0.1501, rel=0.02)
    assert measure_row_cosine(one @ fit_linear_map(one, two), two) == pytest.approx(0.1768, rel=0.02)
    found = measured(one, two)
    assert abs(found.held_out) < 0.01
    assert found.in_sample == pytest.approx(found.floor, rel=0.03)
    assert (found.n_held_out, found.n_in_sample) == (2048, 2048)


def test_a_turned_shifted_and_stretched_table_is_the_same_on_rows_that_the_fit_never_saw():
    rows = np.random.default_rng(4).standard_normal((300, 9))
    other = 3 * rows @ ortho_group.rvs(9, random_state=5) + 4
    assert measured(rows, other).held_out == pytest.approx(1)
    order = np.random.default_rng(6).permutation(300)
    assert measured(rows, other[np.argsort(order)], order=order).held_out == pytest.approx(1)
    assert abs(measured(rows, other, order=order).held_out) < 0.2


def test_a_narrower_table_gets_empty_columns():
    rows = np.random.default_rng(7).standard_normal((200, 6))
    rows[:, 4:] *= 1e-3
    assert measured(rows, rows[:, :4]).held_out > 0.99


@pytest.mark.parametrize("rows", [np.zeros((3, 2)), np.zeros((10, 0)), np.full((20, 3), 0.1), np.zeros((20, 3))])
def test_too_few_or_equal_rows_give_a_reason(rows):
    assert isinstance(measure_procrustes(rows, rows, seed=0), Missing)
    assert isinstance(measure_row_cosine(np.zeros((2, 2)), np.ones((2, 2))), Missing)
