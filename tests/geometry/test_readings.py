"""What two readings add up, against NumPy's own sums and the measures that read the table for themselves."""

import numpy as np
import pytest

from rowspace.geometry.coordinates import measure_rogue_shares, rogue_shares_of
from rowspace.geometry.direction import (
    common_direction_share_of,
    mean_cosine_of,
    measure_common_direction_share,
    measure_mean_cosine,
)
from rowspace.geometry.readings import find_totals, read_around
from rowspace.geometry.rows import BLOCK
from rowspace.geometry.spectrum import axes_of_gram, find_spectrum


@pytest.fixture(params=[1.0, 1e30, 1e-30])
def table(request):
    """More rows than a block, a cone far from the origin, two rows of zero."""
    rows = np.random.default_rng(0).standard_normal((BLOCK + 300, 7)) * np.arange(1, 8) + 5.0
    rows[[3, BLOCK + 9]] = 0
    return (rows * request.param).astype(np.float32)


def test_totals_are_those_of_numpy(table):
    totals, exact = find_totals(table), table.astype(np.float64)
    norms = np.linalg.norm(exact, axis=1)
    assert totals.largest == np.abs(exact).max()
    assert totals.n == len(table) - 2
    np.testing.assert_allclose(totals.norms, norms, rtol=1e-14)
    np.testing.assert_allclose(totals.mean, exact.mean(axis=0), rtol=1e-13)
    units = exact[norms > 0] / norms[norms > 0, None]
    np.testing.assert_allclose(totals.directions, units.sum(axis=0), rtol=1e-12)


def test_the_rows_around_their_mean_are_those_of_numpy(table):
    totals = find_totals(table)
    around, exact = read_around(table, totals), table.astype(np.float64)
    apart = (exact - exact.mean(axis=0)) / np.abs(exact).max()
    np.testing.assert_allclose(around.norms, np.linalg.norm(apart, axis=1), rtol=1e-11)
    np.testing.assert_allclose(around.gram, apart.T @ apart, rtol=1e-11, atol=1e-11)
    assert around.n == len(table)


def test_what_follows_from_sums_is_what_each_measure_finds_for_itself(table):
    totals = find_totals(table)
    around = read_around(table, totals)
    assert mean_cosine_of(totals.directions, totals.n) == pytest.approx(measure_mean_cosine(table, centred=False))
    assert mean_cosine_of(around.directions, around.n) == pytest.approx(measure_mean_cosine(table, centred=True))
    assert common_direction_share_of(totals) == pytest.approx(measure_common_direction_share(table))
    assert rogue_shares_of(totals.directions) == pytest.approx(measure_rogue_shares(table))


def test_the_gram_matrix_as_it_stands_follows_from_the_one_around_the_mean(table):
    totals = find_totals(table)
    around, mean = read_around(table, totals), totals.mean / totals.largest
    how = {"V": len(table), "largest": totals.largest}
    raw = axes_of_gram(around.gram + len(table) * np.outer(mean, mean), mean=np.zeros(7), **how)
    np.testing.assert_allclose(raw.spectrum, np.linalg.svd(table.astype(np.float64), compute_uv=False), rtol=1e-12)
    centred = axes_of_gram(around.gram, mean=totals.mean, **how)
    np.testing.assert_allclose(centred.spectrum, find_spectrum(table, centred=True), rtol=1e-12)


@pytest.mark.parametrize("row", [[0.1, 0.2, 0.3], [1e8, 1.1, -3e-4]])
def test_rows_that_are_all_the_same_differ_from_their_mean_by_nothing(row):
    table = np.tile(np.array(row, dtype=np.float32), (9_000, 1))
    totals = find_totals(table)
    np.testing.assert_array_equal(totals.mean, table[0].astype(np.float64))
    assert read_around(table, totals).n == 0


def test_rows_of_zero_and_no_rows_add_up_to_nothing():
    for rows in (np.zeros((4, 3), dtype=np.float32), np.zeros((0, 3), dtype=np.float32)):
        totals = find_totals(rows)
        assert (totals.largest, totals.n) == (0.0, 0)
        assert not totals.mean.any()
