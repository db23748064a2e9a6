"""The map's plane, against scikit-learn's PCA."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from rowspace.geometry.plane import find_plane


def test_the_plane_is_that_of_pca_up_to_sign():
    table = np.random.default_rng(0).standard_normal((300, 6)) * [5, 3, 2, 1, 1, 1]
    found, share = find_plane(table, fit_on=np.arange(300))
    oracle = PCA(2).fit(table)
    np.testing.assert_allclose(np.abs(found), np.abs(oracle.transform(table)), atol=1e-9)
    assert share == pytest.approx(oracle.explained_variance_ratio_.sum())


def test_it_is_fitted_on_the_rows_named_and_draws_all():
    table = np.random.default_rng(1).standard_normal((50, 4))
    table[40:] += 100
    found, _ = find_plane(table, fit_on=np.arange(40))
    np.testing.assert_allclose(np.abs(found), np.abs(PCA(2).fit(table[:40]).transform(table)), atol=1e-9)


def test_signs_do_not_depend_on_the_order_of_rows():
    table = np.random.default_rng(2).standard_normal((80, 5)) * [4, 3, 1, 1, 1]
    found, _ = find_plane(table, fit_on=np.arange(80))
    back, _ = find_plane(table[::-1].copy(), fit_on=np.arange(80))
    np.testing.assert_allclose(found, back[::-1], atol=1e-9)


@pytest.mark.parametrize("shape", [(5, 1), (1, 3), (4, 0)])
def test_thin_tables_fill_the_plane_with_zeros(shape):
    found, share = find_plane(np.ones(shape), fit_on=np.arange(shape[0]))
    assert found.shape == (shape[0], 2)
    assert np.isfinite(found).all()
    assert share == 0.0
    assert find_plane(np.ones(shape), fit_on=np.zeros(0, dtype=int))[1] == 0.0
