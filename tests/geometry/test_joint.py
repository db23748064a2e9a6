"""One product for two searches finds what each of them finds alone, and what scikit-learn finds."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from rowspace.geometry import joint
from rowspace.geometry.joint import find_near_and_close, fits
from rowspace.geometry.readings import find_totals, read_around


def found_in(table, asked, **how):
    totals = find_totals(table)
    return find_near_and_close(table, asked, totals=totals, around=read_around(table, totals), **how)


@pytest.mark.parametrize("columns", [128, 4096])
@pytest.mark.parametrize(("V", "d", "shift"), [(500, 6, 0.0), (1500, 20, 3.0), (130, 3, 1.0)])
def test_another_library_finds_the_same_in_both_ways(monkeypatch, V, d, shift, columns):
    monkeypatch.setattr(joint, "COLUMNS", columns)
    random = np.random.default_rng(V)
    table = (random.standard_normal((V, d)) + shift / np.sqrt(d)).astype(np.float32)
    table *= (2 / np.linalg.norm(table, axis=1) ** 0.7).astype(np.float32)[:, None]
    assert fits(find_totals(table))
    asked = np.sort(random.choice(V, 60, replace=False))
    (near, cosines), (close, apart) = found_in(table, asked, near=7, close=4)
    for ids, values, metric in ((near, 1 - cosines, "cosine"), (close, apart, "euclidean")):
        wanted = NearestNeighbors(n_neighbors=8, metric=metric, algorithm="brute").fit(table.astype(np.float64))
        distances, rows = wanted.kneighbors(table[asked].astype(np.float64))
        k = ids.shape[1]
        np.testing.assert_array_equal(ids, rows[:, 1 : k + 1])
        np.testing.assert_allclose(values, distances[:, 1 : k + 1], atol=2e-7)


def test_a_duplicate_is_at_distance_zero_and_the_row_itself_is_not_found():
    table = np.random.default_rng(1).standard_normal((300, 5)).astype(np.float32)
    table[200] = table[4]
    (near, _), (close, apart) = found_in(table, np.array([4, 200]), near=1, close=1)
    assert near.ravel().tolist() == close.ravel().tolist() == [200, 4]
    assert not apart.any()


def test_rows_that_are_short_beside_the_mean_are_not_searched_so():
    table = np.random.default_rng(2).standard_normal((50, 4)).astype(np.float32) + 9
    assert fits(find_totals(table))
    table[7] *= np.float32(0.01)
    assert not fits(find_totals(table))
    table[7] = 0
    assert not fits(find_totals(table))
