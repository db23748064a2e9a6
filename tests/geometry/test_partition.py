"""Partition isotropy: worked values, both signs of each direction, and no overflow."""

import numpy as np
import pytest
from scipy.special import logsumexp

from rowspace.geometry.partition import measure_partition_isotropy
from rowspace.geometry.rows import BLOCK
from rowspace.table import Missing

LEANING = np.array([[2.0, 0], [0, 1]])


@pytest.mark.parametrize(("scale", "wanted"), [(1.0, 0.135335), (0.1, 0.818731)])
def test_both_signs_of_a_direction_count_and_size_matters_unless_it_is_taken_out(scale, wanted):
    assert measure_partition_isotropy(LEANING * scale, scaled=False) == pytest.approx(wanted, rel=1e-5)


def test_divided_by_the_mean_norm_a_table_and_a_tenth_of_it_are_the_same():
    numbers = [measure_partition_isotropy(LEANING * scale) for scale in (1.0, 0.1, 1e-150, 1e150)]
    assert numbers == pytest.approx([numbers[0]] * 4)


def test_a_table_of_opposite_pairs_is_isotropic():
    rows = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    assert measure_partition_isotropy(rows, scaled=False) == pytest.approx(1.0)


def test_one_very_long_row_gives_a_small_number_and_no_overflow():
    units = np.random.default_rng(0).standard_normal((50, 2))
    rows = np.vstack([[[1000.0, 0]], units / np.linalg.norm(units, axis=1)[:, None]]).astype(np.float32)
    found = measure_partition_isotropy(rows, scaled=False)
    assert 0 <= found < 1e-300


def test_blocks_add_up_to_the_sum_over_all_rows():
    table = np.random.default_rng(1).standard_normal((BLOCK + 100, 4)) + 0.5
    _, directions = np.linalg.eigh(table.T @ table)
    along = table / np.linalg.norm(table, axis=1).mean() @ np.hstack([directions, -directions])
    logs = logsumexp(along, axis=0)
    assert measure_partition_isotropy(table) == pytest.approx(np.exp(logs.min() - logs.max()))


def test_rows_of_zero_have_no_partition():
    assert isinstance(measure_partition_isotropy(np.zeros((3, 2))), Missing)
    assert isinstance(measure_partition_isotropy(np.zeros((0, 2))), Missing)
