"""Exact neighbours, against a brute-force sort of every cosine."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from rowspace.geometry import nearest
from rowspace.geometry.nearest import find_closest, find_nearest
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


@pytest.fixture
def narrow(monkeypatch):
    """Blocks so small that a small table needs many."""
    for name, value in (("COLUMNS", 128), ("BLOCK", 16), ("MEASURED", 5)):
        monkeypatch.setattr(nearest, name, value)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize(("V", "d", "k"), [(127, 5, 3), (128, 5, 7), (500, 6, 40), (130, 2, 200)])
def test_many_blocks_of_columns_find_what_one_finds(V, d, k):
    table = np.random.default_rng(3).standard_normal((V, d)).astype(np.float32)
    units, _ = unit_rows(table)
    eligible = np.random.default_rng(4).random(V) < 0.7
    ids, cosines = find_nearest(units, units[:50], k=k, eligible=eligible, own=np.arange(50))
    scores = units[:50].astype(np.float64) @ units.astype(np.float64).T
    scores[:, ~eligible] = -2
    scores[np.arange(50), np.arange(50)] = -2
    order = np.argsort(-scores, axis=1, kind="stable")[:, : min(k, V)]
    wanted = np.take_along_axis(scores, order, axis=1)
    np.testing.assert_array_equal(ids, np.where(wanted > -2, order, -1))
    np.testing.assert_allclose(cosines, wanted, atol=1e-9)


def test_rows_of_any_length_are_searched_by_direction_and_zero_rows_never_found():
    table = np.random.default_rng(5).standard_normal((300, 4)) * np.random.default_rng(6).gamma(1, size=(300, 1))
    table[7] = 0
    units, norms = unit_rows(table)
    everyone = np.ones(300, dtype=bool)
    ids, cosines = find_nearest(table, units[:30], k=5, eligible=everyone, own=np.arange(30), norms=norms)
    wanted, near = find_nearest(units, units[:30], k=5, eligible=everyone & (norms > 0), own=np.arange(30))
    kept = np.arange(30) != 7
    np.testing.assert_array_equal(ids[kept], wanted[kept])
    np.testing.assert_allclose(cosines, near, atol=1e-6)
    assert not (ids == 7).any()


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e30])
@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_the_closest_rows_are_those_of_another_library_wherever_the_table_lies(scale, shift):
    table = (np.random.default_rng(7).standard_normal((400, 6)) + shift) * scale
    asked = np.array([3, 399, 17])
    ids, distances = find_closest(table, asked, k=4)
    wanted, order = (
        NearestNeighbors(n_neighbors=5, algorithm="brute").fit(table / scale).kneighbors(table[asked] / scale)
    )
    np.testing.assert_array_equal(ids, order[:, 1:])
    np.testing.assert_allclose(distances, wanted[:, 1:] * scale, rtol=1e-6)


def test_a_duplicate_is_at_distance_zero_and_a_lone_row_has_nobody():
    ids, distances = find_closest(np.array([[1.0, 2], [5, 5], [1, 2]], dtype=np.float32), np.array([0]), k=5)
    assert ids.tolist() == [[2, 1]]
    assert distances[0].tolist() == [0, 5]
    assert find_closest(np.ones((1, 2)), np.array([0]), k=3)[0].shape == (1, 0)
