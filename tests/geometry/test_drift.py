"""Drift from the start, against worked numbers."""

import numpy as np
import pytest

from rowspace.geometry.drift import find_row_cosines, measure_drift_cosine, measure_drift_relative
from rowspace.table import Missing

FIRST = np.array([[3, 4], [1, 0]], dtype=np.float32)
NOW = np.array([[4, 3], [0, 2]], dtype=np.float32)


def test_drift_has_the_worked_values():
    assert measure_drift_cosine(FIRST, NOW) == pytest.approx(0.48, rel=1e-6)
    assert measure_drift_relative(FIRST, NOW) == pytest.approx(0.518875, rel=1e-5)


def test_a_frozen_table_has_cosine_exactly_one_and_no_distance():
    table = np.random.default_rng(0).standard_normal((500, 7)).astype(np.float32)
    assert measure_drift_cosine(table, table.copy()) == 1.0
    assert measure_drift_relative(table, table.copy()) == 0.0


def test_decay_alone_turns_no_row_but_moves_the_table():
    table = np.random.default_rng(1).standard_normal((40, 3))
    assert measure_drift_cosine(table, 0.9 * table) == pytest.approx(1.0, abs=1e-12)
    assert measure_drift_relative(table, 0.9 * table) == pytest.approx(0.1, rel=1e-9)


def test_rows_without_direction_are_masked_and_never_nan():
    first, now = FIRST.copy(), NOW.copy()
    first[1] = 0
    cosines, known = find_row_cosines(first, now)
    assert known.tolist() == [True, False]
    assert np.isfinite(cosines).all()
    assert measure_drift_cosine(first, now) == pytest.approx(0.96)
    assert isinstance(measure_drift_cosine(np.zeros((2, 2)), NOW), Missing)
    assert isinstance(measure_drift_relative(np.zeros((2, 2)), NOW), Missing)


def test_tables_of_two_shapes_are_refused():
    with pytest.raises(ValueError, match=r"\(3, 2\).*\(2, 2\)"):
        find_row_cosines(FIRST, np.ones((3, 2)))
