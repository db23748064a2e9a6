"""Exact neighbours, against a brute-force sort of every cosine."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from rowspace.geometry.nearest import find_nearest
from rowspace.geometry.rows import unit_rows


@pytest.mark.parametrize(("V", "d", "k"), [(1, 1, 5), (5, 3, 5), (130, 7, 10), (1100, 4, 3), (700, 32, 20)])
def test_the_nearest_are_those_of_a_brute_force_search(V, d, k):
    table = np.random.default_rng(0).standard_normal((V, d)).astype(np.float32)
    units, _ = unit_rows(table)
    eligible = np.random.default_rng(1).random(V) < 0.8
    ids, cosines = find_nearest(units, units, k=k, eligible=eligible, own=np.arange(V))
    scores = units.astype(np.float64) @ units.astype(np.float64).T
    scores[:, ~eligible] = -2
    np.fill_diagonal(scores, -2)
    order = np.argsort(-scores, axis=1, kind="stable")[:, : min(k, V)]
    wanted = np.take_along_axis(scores, order, axis=1)
    np.testing.assert_array_equal(ids, np.where(wanted > -2, order, -1))
    np.testing.assert_allclose(cosines, wanted, atol=1e-9)


def test_another_library_finds_the_same():
    table = np.random.default_rng(2).standard_normal((400, 9))
    units, _ = unit_rows(table)
    ids, _ = find_nearest(units, units[:50], k=6, eligible=np.ones(400, dtype=bool), own=np.arange(50))
    oracle = NearestNeighbors(n_neighbors=7, metric="cosine").fit(table).kneighbors(table[:50])[1]
    np.testing.assert_array_equal(ids, oracle[:, 1:])


def test_equal_cosines_come_in_the_order_of_ids():
    units = np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (200, 1))
    ids, cosines = find_nearest(units, units[:1], k=4, eligible=np.ones(200, dtype=bool), own=np.array([-1]))
    assert (cosines == 1.0).all()
    assert len(set(ids[0].tolist())) == 4
    assert ids[0].tolist() == sorted(ids[0].tolist())


def test_no_query_gives_no_row():
    units = np.eye(4, dtype=np.float32)
    ids, _ = find_nearest(units, units[:0], k=2, eligible=np.ones(4, dtype=bool), own=np.zeros(0, dtype=np.int64))
    assert ids.shape == (0, 2)
