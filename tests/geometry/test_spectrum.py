"""Counts of directions, against worked numbers, numpy's SVD and scipy's entropy, which share no code with ours."""

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import svdvals
from scipy.stats import entropy, ortho_group

from rowspace.geometry import spectrum as spectra
from rowspace.geometry.spectrum import find_spectrum
from rowspace.table import Missing

SIGMAS = ([1.0] * 5, [3.0, 1.0], [4.0, 3.0, 0.0], [10.0, 1.0, 1.0])


def with_spectrum(sigma: list[float], *, rows: int = 12) -> np.ndarray:
    """A matrix with these singular values, made of random rotations."""
    d = len(sigma)
    left = np.linalg.qr(np.random.default_rng(1).standard_normal((rows, d)))[0]
    right = np.linalg.qr(np.random.default_rng(2).standard_normal((d, d)))[0]
    return left @ np.diag(sigma) @ right.T


def counted(measure: str, sigma: list[float]) -> float:
    value = getattr(spectra, f"measure_{measure}")(find_spectrum(with_spectrum(sigma), centred=False))
    assert isinstance(value, float)
    return value


@pytest.mark.parametrize(("sigma", "wanted"), list(zip(SIGMAS, (5, 1.75477, 1.97963, 1.76136), strict=True)))
def test_effective_rank_of_sigma_shares_has_the_worked_values(sigma, wanted):
    assert counted("effective_rank_sigma", sigma) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize(("sigma", "wanted"), list(zip(SIGMAS, (5, 1.38415, 1.9221, 1.11639), strict=True)))
def test_effective_rank_of_lambda_shares_is_another_number(sigma, wanted):
    assert counted("effective_rank_lambda", sigma) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize(
    ("measure", "sigma", "wanted"),
    [
        ("participation_ratio", [3.0, 1.0], 1.21951),
        ("participation_ratio", [4.0, 3.0, 0.0], 1.8546),
        ("participation_ratio", [1.0] * 7, 7),
        ("stable_rank", [3.0, 1.0], 1.11111),
        ("stable_rank", [4.0, 3.0, 0.0], 1.5625),
    ],
)
def test_participation_ratio_and_stable_rank_have_the_worked_values(measure, sigma, wanted):
    assert counted(measure, sigma) == pytest.approx(wanted, rel=1e-5)


def test_identity_rows_have_exactly_d_directions():
    for d in (1, 2, 5, 17):
        found = find_spectrum(np.eye(d, dtype=np.float32), centred=False)
        assert spectra.measure_effective_rank_sigma(found) == pytest.approx(d, rel=1e-12)


def test_a_rank_deficient_matrix_has_an_infinite_condition_number_and_its_true_rank():
    found = find_spectrum(np.diag([4.0, 3.0, 0.0]), centred=False)
    assert spectra.measure_condition_number(found) == math.inf
    assert spectra.measure_numerical_rank(found) == 2
    assert spectra.measure_condition_number(found[:2]) == pytest.approx(1.33333, rel=1e-5)


def test_noise_left_by_the_gram_matrix_is_no_rank():
    thin = np.random.default_rng(0).standard_normal((300, 5)) @ np.random.default_rng(1).standard_normal((5, 40))
    assert spectra.measure_numerical_rank(find_spectrum(thin, centred=False)) == 5
    assert spectra.measure_condition_number(find_spectrum(thin, centred=False)) == math.inf


@pytest.mark.parametrize(
    ("variances", "wanted"), [([1] * 6, 1), ([1, 0, 0, 0], 0), ([1, 1, 0, 0], 0.333333), ([9, 1], 0.219512)]
)
def test_isoscore_follows_from_the_participation_ratio(variances, wanted):
    found = spectra.measure_isoscore(np.sqrt(np.array(variances, dtype=float)), d=len(variances))
    assert found == pytest.approx(wanted, rel=1e-5, abs=1e-12)


def test_isoscore_does_not_see_a_shift_that_moves_the_mean_cosine_to_one():
    from rowspace.geometry.direction import measure_mean_cosine

    rows = np.random.default_rng(3).standard_normal((500, 8)) * np.arange(1, 9)
    before, after = (find_spectrum(x, centred=True) for x in (rows, rows + 1000))
    assert spectra.measure_isoscore(after, d=8) == pytest.approx(spectra.measure_isoscore(before, d=8), rel=1e-6)
    assert measure_mean_cosine(rows + 1000, centred=False) == pytest.approx(1.0, abs=1e-3)
    assert abs(measure_mean_cosine(rows, centred=False)) < 0.1


def test_an_isotropic_table_of_finite_size_does_not_score_one():
    table = np.random.default_rng(0).standard_normal((4096, 128))
    found, centred = find_spectrum(table, centred=False), find_spectrum(table, centred=True)
    assert spectra.measure_participation_ratio(centred) == pytest.approx(124.13, rel=0.01)
    assert spectra.measure_participation_ratio(centred) == pytest.approx(128 / (1 + 128 / 4096), rel=0.01)
    assert spectra.measure_isoscore(centred, d=128) == pytest.approx(0.9696, rel=0.01)
    assert spectra.measure_effective_rank_sigma(found) == pytest.approx(127.50, rel=0.01)
    assert spectra.measure_stable_rank(found) == pytest.approx(94.1, rel=0.01)
    assert spectra.measure_condition_number(found) == pytest.approx(1.418, rel=0.01)


@pytest.mark.parametrize("shape", [(40, 7), (7, 40), (1, 5), (5, 1), (20_000, 3)])
@pytest.mark.parametrize("centred", [False, True])
def test_the_spectrum_is_that_of_an_svd(shape, centred):
    table = (np.random.default_rng(4).standard_normal(shape) + 0.7).astype(np.float32)
    wanted = svdvals(table.astype(np.float64) - centred * table.astype(np.float64).mean(axis=0))
    found = find_spectrum(table, centred=centred)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, atol=1e-7 * wanted.max() if wanted.max() else 1e-7)


def test_hill_numbers_are_ordered_for_a_hundred_random_matrices():
    generator = np.random.default_rng(5)
    for _ in range(100):
        V, d = generator.integers(2, 60), generator.integers(1, 30)
        table = generator.standard_normal((V, d)) * generator.gamma(0.4, size=d) + generator.standard_normal(d)
        for centred in (False, True):
            found = find_spectrum(table, centred=centred)
            order = [
                spectra.measure_stable_rank(found),
                spectra.measure_participation_ratio(found),
                spectra.measure_effective_rank_lambda(found),
                spectra.measure_effective_rank_sigma(found),
                spectra.measure_numerical_rank(found),
            ]
            assert all(low <= high * (1 + 1e-9) for low, high in itertools.pairwise(order)), order
            shares = svdvals(table - centred * table.mean(axis=0))
            assert order[3] == pytest.approx(np.exp(entropy(shares / shares.sum())), rel=1e-5)


def test_rotation_and_scale_change_no_count_and_shift_no_centred_one():
    generator = np.random.default_rng(6)
    for _ in range(20):
        d = int(generator.integers(2, 12))
        table = generator.standard_normal((50, d)) * generator.gamma(1.0, size=d)
        turned = 37.0 * table @ ortho_group.rvs(d, random_state=7)
        counts = spectra.count_directions(*(find_spectrum(table, centred=c) for c in (False, True)))
        again = spectra.count_directions(*(find_spectrum(turned, centred=c) for c in (False, True)))
        assert again == pytest.approx(counts, rel=1e-6)
        shifted = find_spectrum(table + 5.0, centred=True)
        assert spectra.measure_effective_rank_sigma(shifted) == pytest.approx(
            counts["effective_rank_sigma_centred"], rel=1e-6
        )


@pytest.mark.parametrize("table", [np.zeros((4, 3)), np.zeros((0, 3)), np.zeros((3, 0))])
def test_a_table_without_direction_gives_a_reason_and_no_nan(table):
    found = find_spectrum(table, centred=False)
    for value in spectra.count_directions(found, found).values():
        assert isinstance(value, Missing)
    assert isinstance(spectra.measure_condition_number(found), Missing)
    assert isinstance(spectra.measure_isoscore(found, d=1), Missing)


@pytest.mark.parametrize("row", [[3.3, -0.1, 2e-7], [1e6, 1e6, 1e6], [0.1, 0.1, 0.1]])
def test_rows_that_are_all_the_same_have_no_centred_direction(row):
    table = np.tile(np.array(row, dtype=np.float32), (10_000, 1))
    assert spectra.measure_numerical_rank(find_spectrum(table, centred=True)) == 0
    assert spectra.measure_numerical_rank(find_spectrum(table, centred=False)) == 1


def test_very_large_and_very_small_values_neither_overflow_nor_vanish():
    table = np.random.default_rng(8).standard_normal((20, 4))
    wanted = spectra.measure_effective_rank_sigma(find_spectrum(table, centred=False))
    for scale in (1e-150, 1e150):
        assert spectra.measure_effective_rank_sigma(find_spectrum(table * scale, centred=False)) == pytest.approx(
            wanted
        )


@pytest.mark.parametrize("slope", [0.0, 0.5, 2.0])
def test_spectral_decay_is_the_slope_of_a_power_law(slope):
    sigma = 3.0 * np.arange(1, 101) ** (-slope / 2)
    sigma[:9] *= 50  # the first few are outside of the range
    assert spectra.measure_spectral_decay(sigma, d=100) == pytest.approx(slope, abs=1e-9)


def test_spectral_decay_needs_enough_ranks_that_are_not_empty():
    assert isinstance(spectra.measure_spectral_decay(np.ones(20), d=20), Missing)
    assert isinstance(spectra.measure_spectral_decay(np.ones(30), d=100), Missing)
    assert isinstance(spectra.measure_spectral_decay(np.r_[np.ones(30), np.zeros(70)], d=100), Missing)


@pytest.mark.parametrize("shape", [(40, 6), (4, 9), (1, 3), (0, 3)])
@pytest.mark.parametrize("centred", [True, False])
def test_axes_have_the_spectrum_and_orthonormal_directions_that_carry_it(shape, centred):
    table = np.random.default_rng(12).standard_normal(shape) + 1.0
    axes = spectra.find_axes(table, centred=centred)
    np.testing.assert_allclose(axes.spectrum, find_spectrum(table, centred=centred), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(axes.directions.T @ axes.directions, np.eye(shape[1]), atol=1e-12)
    carried = np.linalg.norm((table - axes.mean) @ axes.directions, axis=0)
    np.testing.assert_allclose(carried[: len(axes.spectrum)], axes.spectrum, atol=1e-6)
