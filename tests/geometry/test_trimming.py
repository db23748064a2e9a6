"""All-but-the-top against a worked table and scikit-learn's principal components."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from rowspace.geometry.direction import measure_mean_cosine
from rowspace.geometry.rows import BLOCK
from rowspace.geometry.trimming import Trimmed, find_depth, find_top, measure_trimmed_cosine, remove_top

ROWS = np.array([[3.0, 1], [1, 2], [2, 3], [0, 0]])


def test_the_mean_goes_first_and_then_the_strongest_direction_of_what_is_left():
    top = find_top(ROWS, depth=1)
    np.testing.assert_allclose(top.mean, [1.5, 1.5])
    np.testing.assert_allclose(np.abs(top.directions[:, 0]), [0.70711, 0.70711], atol=1e-5)
    np.testing.assert_allclose(remove_top(ROWS, depth=1), [[1, -1], [-0.5, 0.5], [-0.5, 0.5], [0, 0]], atol=1e-12)


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_what_is_left_is_what_another_library_leaves(depth):
    table = np.random.default_rng(0).standard_normal((BLOCK + 30, 6)) * np.arange(1, 7) + 2.0
    found = PCA(n_components=6).fit(table)
    left = table - found.mean_
    left -= (left @ found.components_[:depth].T) @ found.components_[:depth]
    np.testing.assert_allclose(remove_top(table, depth=depth), left, atol=1e-8)


def test_rows_can_be_asked_for_by_slice_and_by_number():
    trimmed = Trimmed(ROWS.astype(np.float32), find_top(ROWS, depth=1))
    np.testing.assert_allclose(trimmed[np.array([2, 0])], trimmed[:][[2, 0]], atol=1e-12)
    assert len(trimmed) == 4
    assert trimmed.shape == (4, 2)


def test_the_depth_is_a_hundredth_of_the_width_and_at_least_one():
    assert [find_depth(d) for d in (1, 2, 64, 300, 768)] == [0, 1, 1, 3, 8]


def test_one_reading_finds_the_mean_cosine_that_several_find():
    table = (np.random.default_rng(3).standard_normal((BLOCK + 30, 6)) * np.arange(1, 7) + 2.0).astype(np.float32)
    trimmed = Trimmed(table, find_top(table, depth=2))
    found = measure_trimmed_cosine(trimmed, largest=float(np.abs(table).max()))
    assert found == pytest.approx(measure_mean_cosine(remove_top(table, depth=2), centred=True), rel=1e-9)


def test_rows_of_which_only_rounding_is_left_have_no_direction_in_either_way():
    random = np.random.default_rng(4)
    table = (random.integers(-9, 9, (500, 2)) @ random.integers(-9, 9, (2, 5))).astype(np.float32)
    trimmed = Trimmed(table, find_top(table, depth=2))
    found = measure_trimmed_cosine(trimmed, largest=float(np.abs(table).max()))
    assert found == measure_mean_cosine(trimmed, centred=True)
