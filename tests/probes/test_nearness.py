"""Five measures of nearness, each against scikit-learn or its definition, exact and with ties."""

import tracemalloc

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from rowspace.probes.nearness import HUBNESS_K, MEASURES, REFERENCES, find_near
from rowspace.probes.neighbours import find_neighbours, find_ties
from rowspace.probes.words import Word
from rowspace.table import TokenTable

V, D, K = 700, 9, 8


def vectors(seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return (generator.standard_normal((V, D)) * generator.lognormal(0, 0.7, (V, 1)) + 0.4).astype(np.float32)


def near(rows: np.ndarray, measure: str, *, k: int = K, special: frozenset[int] = frozenset({0})):
    table = TokenTable(rows, [f"w{i}" for i in range(len(rows))], None, special)
    eligible = np.ones(len(rows), dtype=bool)
    eligible[list(special)] = False
    own = np.arange(5, 45)
    return find_near(table, rows[own], measure=measure, k=k, eligible=eligible, own=own, seed=0)


def brute(scores: np.ndarray) -> np.ndarray:
    """The K best of each row, itself and special token 0 left out."""
    scores = scores.copy()
    scores[:, 0] = -np.inf
    scores[np.arange(len(scores)), np.arange(5, 45)] = -np.inf
    return np.argsort(-scores, axis=1, kind="stable")[:, :K]


def units_of(rows: np.ndarray) -> np.ndarray:
    rows = rows.astype(float)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize(("measure", "theirs"), [("cosine", "cosine"), ("euclidean", "euclidean")])
def test_cosine_and_distance_are_those_of_scikit_learn(measure, theirs):
    rows = vectors()
    search = NearestNeighbors(n_neighbors=K + 1, metric=theirs, algorithm="brute").fit(rows[1:].astype(float))
    distances, ids = search.kneighbors(rows[5:45].astype(float))
    found = near(rows, measure)
    assert (found.ids == ids[:, 1:] + 1).all()
    values = 1 - distances[:, 1:] if measure == "cosine" else -distances[:, 1:]
    assert found.values == pytest.approx(values, abs=1e-6)


def test_the_dot_product_prefers_long_rows_and_is_exact():
    rows = vectors(1)
    scores = rows[5:45].astype(float) @ rows.astype(float).T
    found = near(rows, "dot")
    assert (found.ids == brute(scores)).all()
    assert found.values == pytest.approx(np.take_along_axis(scores, found.ids, 1), rel=1e-9)


def test_centred_cosine_is_blind_to_a_shift_of_all_rows():
    rows = vectors(2)
    centred = units_of(rows - rows[1:].astype(float).mean(axis=0))
    found = near(rows, "centred")
    assert (found.ids == brute(centred[5:45] @ centred.T)).all()
    assert (near(rows + np.float32(5), "centred").ids == found.ids).mean() > 0.99
    assert (near(rows + np.float32(5), "cosine").ids == found.ids).mean() < 0.9


def test_csls_is_its_definition():
    rows = vectors(3)
    cosines = units_of(rows) @ units_of(rows).T
    np.fill_diagonal(cosines, -np.inf)
    cosines[:, 0] = -np.inf
    mean = np.sort(cosines, axis=1)[:, -HUBNESS_K:].mean(axis=1)
    scores = 2 * cosines[5:45] - mean[None, :] - mean[5:45, None]
    found = near(rows, "csls")
    assert (found.ids == brute(scores)).all()
    assert found.values == pytest.approx(np.take_along_axis(scores, found.ids, 1), abs=1e-5)


def test_csls_sets_hubs_back():
    rows = vectors(4)
    rows[7] = units_of(rows).mean(axis=0)
    as_neighbour = [np.count_nonzero(near(rows, measure).ids == 7) for measure in ("cosine", "csls")]
    assert as_neighbour[1] < as_neighbour[0]


def test_a_large_vocabulary_is_sampled_by_seed_for_csls():
    rows = np.random.default_rng(5).standard_normal((REFERENCES + 500, 4)).astype(np.float32)
    table = TokenTable(rows, [str(i) for i in range(len(rows))])
    every, own = np.ones(len(rows), dtype=bool), np.arange(20)
    one, again, other = (
        find_near(table, rows[own], measure="csls", k=5, eligible=every, own=own, seed=s) for s in (1, 1, 2)
    )
    assert (one.values == again.values).all()
    assert (one.values != other.values).any()


@pytest.mark.parametrize("measure", MEASURES)
def test_on_a_one_hot_table_everything_ties(measure):
    found = near(np.eye(90, dtype=np.float32), measure, special=frozenset())
    assert find_ties(found.values, found.gap).all()


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_size_of_a_table_changes_no_neighbour(measure, scale):
    rows = vectors(6)
    assert (near(rows * np.float32(scale), measure).ids == near(rows, measure).ids).mean() > 0.999


@pytest.mark.parametrize("measure", MEASURES)
def test_few_rows_and_zero_rows_are_no_trouble(measure):
    rows = np.zeros((46, 3), dtype=np.float32)
    rows[5:7] = np.eye(3)[:2]
    found = near(rows, measure, k=60, special=frozenset())
    assert np.isfinite(found.values[found.ids >= 0]).all()
    assert (found.ids != np.arange(5, 45)[:, None]).all()


@pytest.mark.parametrize("measure", MEASURES)
def test_a_table_of_neighbours_holds_the_value_under_the_name_of_its_measure(measure):
    rows = vectors(7)
    table = TokenTable(rows, [f"w{i}" for i in range(V)], None, frozenset({0}))
    how = {"k": 3, "lists": {}, "min_count": 0, "deciles": None}
    found = find_neighbours(table, [Word("w9", (9,), "one piece"), Word("x", (), "missing")], measure=measure, **how)
    assert [row["rank"] for row in found] == [1, 2, 3, 0]
    assert all(measure in row for row in found)
    values = [row[measure] for row in found[:3]]
    assert values == sorted(values, reverse=measure != "euclidean")
    if measure == "euclidean":
        wanted = np.linalg.norm(rows[9].astype(float) - rows[found[0]["neighbour_id"]].astype(float))
        assert values[0] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
def test_no_copy_of_the_table_is_made(measure):
    rows = np.random.default_rng(7).standard_normal((60_000, 64)).astype(np.float32)
    table, every = TokenTable(rows, range(len(rows))), np.ones(len(rows), dtype=bool)  # type: ignore[arg-type]
    own = np.arange(8)
    tracemalloc.start()
    find_near(table, rows[own], measure=measure, k=5, eligible=every, own=own, seed=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.9 * rows.nbytes


@pytest.mark.parametrize("measure", ["cosine", "csls"])
def test_rows_as_short_as_numbers_get_are_found_by_their_direction(measure):
    rows = vectors(8)
    rows[::2] *= np.float32(1e-36)
    assert (near(rows, measure).ids == near(vectors(8), measure).ids).mean() > 0.99
