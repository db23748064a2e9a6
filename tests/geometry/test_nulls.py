"""Random tables of given norms: what they keep, and that their numbers are those of the whole table."""

import numpy as np
import pytest

from rowspace.geometry.direction import measure_mean_cosine
from rowspace.geometry.drift import measure_drift_cosine, measure_drift_relative
from rowspace.geometry.nulls import measure_null, random_table
from rowspace.geometry.spectrum import count_directions, find_spectrum

NORMS = np.random.default_rng(0).gamma(2.0, size=700)


def test_a_random_table_has_exactly_the_norms_asked_for_and_no_direction_in_common():
    table = random_table(NORMS, 24, seed=1)
    np.testing.assert_allclose(np.linalg.norm(table, axis=1), NORMS, rtol=1e-5)
    assert abs(measure_mean_cosine(table, centred=False)) < 4 / (700 * np.sqrt(24))


def test_the_same_seed_gives_the_same_table_and_another_another():
    np.testing.assert_array_equal(random_table(NORMS, 5, seed=2), random_table(NORMS, 5, seed=2))
    assert not np.array_equal(random_table(NORMS, 5, seed=2), random_table(NORMS, 5, seed=3))


@pytest.mark.parametrize("scale", [1.0, 1e-8, 1e8])
def test_numbers_taken_block_by_block_are_those_of_the_whole_table(scale):
    first = np.random.default_rng(4).standard_normal((700, 24)).astype(np.float32)
    null = measure_null(NORMS * scale, 24, seed=1, first=first)
    table = random_table(NORMS * scale, 24, seed=1)
    wanted = count_directions(find_spectrum(table, centred=False), find_spectrum(table, centred=True))
    wanted["mean_cosine_raw"] = measure_mean_cosine(table, centred=False)
    wanted["mean_cosine_centred"] = measure_mean_cosine(table, centred=True)
    wanted["drift_cosine"] = measure_drift_cosine(first, table)
    for key, value in wanted.items():
        assert null.numbers[key] == pytest.approx(value, rel=1e-4, abs=2e-6), key
    np.testing.assert_allclose(null.spectrum, find_spectrum(table, centred=False), rtol=1e-4)
    assert null.numbers["drift_relative"] == pytest.approx(measure_drift_relative(first, table), rel=0.05)


def test_a_null_of_nothing_has_no_numbers_and_zero_norms_give_reasons():
    assert measure_null(np.zeros(0), 3, seed=0, first=None).numbers == {}
    assert not any(measure_null(np.zeros(4), 3, seed=0, first=None).numbers.values())
