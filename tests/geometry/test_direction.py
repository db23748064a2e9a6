"""Mean cosine, against worked numbers and against all pairs one by one."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from rowspace.geometry.direction import measure_common_direction_share, measure_mean_cosine
from rowspace.table import Missing


@pytest.mark.parametrize(
    ("rows", "wanted"), [([(1, 0), (0, 1), (-1, 0)], -0.333333), ([(1, 0), (1, 1), (0, 1)], 0.471405)]
)
def test_mean_cosine_has_the_worked_values(rows, wanted):
    assert measure_mean_cosine(np.array(rows, dtype=np.float32), centred=False) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("shape", [(2, 1), (30, 5), (400, 16)])
def test_the_closed_form_is_the_mean_over_every_pair(shape):
    table = np.random.default_rng(0).standard_normal(shape) + 0.3
    assert measure_mean_cosine(table, centred=False) == pytest.approx((1 - pdist(table, "cosine")).mean(), abs=1e-12)
    centred = table - table.mean(axis=0)
    assert measure_mean_cosine(table, centred=True) == pytest.approx((1 - pdist(centred, "cosine")).mean(), abs=1e-12)


def test_more_rows_than_a_block_are_all_counted():
    table = np.random.default_rng(1).standard_normal((20_000, 3)) + 1
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    wanted = (np.linalg.norm(units.sum(axis=0)) ** 2 - 20_000) / (20_000 * 19_999)
    assert measure_mean_cosine(table, centred=False) == pytest.approx(wanted, rel=1e-9)


def test_zero_rows_are_left_out():
    rows = np.array([(1, 0), (0, 1), (-1, 0)], dtype=float)
    padded = np.vstack([rows, np.zeros((3, 2))])
    assert measure_mean_cosine(padded, centred=False) == pytest.approx(measure_mean_cosine(rows, centred=False))


def test_scale_and_rotation_change_nothing_and_a_shift_changes_only_the_raw_form():
    table = np.random.default_rng(2).standard_normal((60, 4))
    turn = np.linalg.qr(np.random.default_rng(3).standard_normal((4, 4)))[0]
    for centred in (False, True):
        before = measure_mean_cosine(table, centred=centred)
        assert measure_mean_cosine(9 * table @ turn, centred=centred) == pytest.approx(before, abs=1e-12)
    assert measure_mean_cosine(table + 10, centred=True) == pytest.approx(measure_mean_cosine(table, centred=True))
    assert measure_mean_cosine(table + 10, centred=False) > 0.9


def test_random_directions_spread_as_theory_says():
    rows = np.random.default_rng(4).standard_normal((1500, 128))
    cosines = 1 - pdist(rows, "cosine")
    assert cosines.std() == pytest.approx(0.0883883, rel=0.01)
    assert np.abs(cosines).mean() == pytest.approx(0.0705237, rel=0.01)
    assert measure_mean_cosine(rows, centred=False) == pytest.approx(cosines.mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("table", "centred"),
    [
        (np.zeros((5, 3)), False),
        (np.ones((1, 3)), False),
        (np.ones((0, 3)), False),
        (np.full((9999, 3), 0.1, dtype=np.float32), True),
    ],
)
def test_too_few_directions_give_a_reason(table, centred):
    assert isinstance(measure_mean_cosine(table, centred=centred), Missing)


def test_opposite_rows_of_width_one_have_mean_cosine_minus_one():
    assert measure_mean_cosine(np.array([[2.0], [-3.0]]), centred=False) == -1.0


def test_the_common_share_is_the_energy_of_the_mean_row():
    table = np.random.default_rng(11).standard_normal((300, 7)) + np.array([2.0, 0, 0, 0, 0, 0, 0])
    wanted = np.linalg.norm(table.mean(axis=0)) ** 2 / (table**2).sum(axis=1).mean()
    assert measure_common_direction_share(table) == pytest.approx(wanted)
    assert measure_common_direction_share(np.full((4, 3), 1e-150)) == pytest.approx(1)
    assert measure_common_direction_share(table - table.mean(axis=0)) == pytest.approx(0, abs=1e-12)
    assert isinstance(measure_common_direction_share(np.zeros((4, 3))), Missing)
    assert isinstance(measure_common_direction_share(np.zeros((0, 3))), Missing)
