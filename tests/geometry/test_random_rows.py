"""Random tables made when asked for: what either kind keeps, and that a block can be made again."""

import numpy as np
import pytest

from rowspace.geometry.random_rows import HalvedRows, RandomRows, find_bands_of
from rowspace.geometry.rows import BLOCK
from rowspace.table import Missing

NORMS = np.random.default_rng(0).gamma(2.0, size=4000)


def test_directions_at_random_have_the_cosines_that_theory_gives():
    rows = RandomRows(np.ones(2000), 128, seed=0)[:].astype(np.float64)
    cosines = (rows[:1000] @ rows[1000:].T).ravel()
    assert cosines.std() == pytest.approx(0.0883883, rel=0.005)
    assert np.abs(cosines).mean() == pytest.approx(0.0705237, rel=0.01)
    assert abs(cosines.mean()) < 0.001


def test_any_rows_can_be_asked_for_again():
    rows = RandomRows(np.ones(2 * BLOCK + 40), 3, seed=1)
    whole = rows[:]
    np.testing.assert_array_equal(rows[BLOCK - 2 : BLOCK + 5], whole[BLOCK - 2 : BLOCK + 5])
    np.testing.assert_array_equal(rows[BLOCK : 2 * BLOCK], whole[BLOCK : 2 * BLOCK])
    asked = np.array([2 * BLOCK + 7, 3, BLOCK])
    np.testing.assert_array_equal(rows[asked], whole[asked])
    assert rows[:0].shape == (0, 3)
    assert not np.array_equal(whole[:BLOCK], whole[BLOCK : 2 * BLOCK])
    assert not np.array_equal(whole, RandomRows(np.ones(2 * BLOCK + 40), 3, seed=2)[:])


def matched(table: np.ndarray, bands: np.ndarray, seed: int) -> np.ndarray:
    norms = np.linalg.norm(table, axis=1)
    kept = find_bands_of(table, norms, bands)
    assert not isinstance(kept, Missing)
    return RandomRows(norms, table.shape[1], seed=seed, bands=kept)[:]


def test_the_null_of_frequency_keeps_every_norm_and_the_mean_of_each_band():
    bands = np.arange(4000) % 4
    table = np.random.default_rng(2).standard_normal((4000, 16)) * NORMS[:, None]
    table += bands[:, None] * np.random.default_rng(3).standard_normal(16)
    drawn = matched(table, bands, seed=4)
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), np.linalg.norm(table, axis=1), rtol=1e-4)
    for band in range(4):
        mean, again = table[bands == band].mean(axis=0), drawn[bands == band].mean(axis=0)
        noise = np.linalg.norm(table[bands == band], axis=1).mean() / np.sqrt(1000)
        assert np.linalg.norm(again - mean) < 2 * noise
        assert again @ mean / np.linalg.norm(mean) == pytest.approx(np.linalg.norm(mean), rel=1e-3)


def test_the_rest_of_its_energy_is_the_same_in_every_direction():
    table = np.random.default_rng(5).standard_normal((20_000, 6)) * [5, 1, 1, 1, 1, 1] + [0, 0, 0, 0, 0, 2]
    drawn = matched(table, np.zeros(20_000, dtype=int), seed=6)
    variances = np.sort(np.linalg.eigvalsh(np.cov(drawn.T)))
    assert variances[-1] / variances[1] < 1.1
    assert np.linalg.eigvalsh(np.cov(table.T))[-1] > 10 * variances[-1] / 3


def test_rows_shorter_than_the_mean_lie_along_it_and_others_make_up_for_them():
    table = np.vstack([np.tile([10.0, 0], (5, 1)), np.tile([0.1, 0], (5, 1))])
    drawn = matched(table, np.zeros(10, dtype=int), seed=7)
    np.testing.assert_allclose(drawn.mean(axis=0), table.mean(axis=0), atol=1e-5)


def test_a_band_whose_rows_cancel_is_plain_noise_and_width_one_has_no_such_null():
    table = np.array([[1.0, 0], [-1, 0]])
    assert np.isfinite(matched(table, np.zeros(2, dtype=int), seed=0)).all()
    assert isinstance(find_bands_of(np.ones((3, 1)), np.ones(3), np.zeros(3)), Missing)


def test_rows_at_half_precision_are_the_rows_to_three_digits_at_any_length():
    rows = RandomRows(np.geomspace(1e-30, 1e30, BLOCK + 9), 5, seed=8)
    halved = HalvedRows(rows)
    assert (halved.shape, len(halved)) == ((BLOCK + 9, 5), BLOCK + 9)
    for key in (slice(BLOCK - 3, BLOCK + 4), np.array([0, BLOCK + 8, 5])):
        sizes = np.abs(rows[key]).max(axis=1, keepdims=True)
        np.testing.assert_allclose(halved[key] / sizes, rows[key] / sizes, atol=1e-3)
    assert not HalvedRows(RandomRows(np.zeros(3), 2, seed=0))[:].any()
