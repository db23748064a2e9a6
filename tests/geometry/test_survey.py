"""All numbers of a table at once: none is NaN, each has its null, each is declared."""

import math

import numpy as np
import pytest

from rowspace.geometry.survey import measure_geometry
from rowspace.metrics.catalogue import METRICS, find_metric
from rowspace.table import Missing, TokenTable

NEEDS_NULL = {metric.key.removeprefix("geometry/{table}/") for metric in METRICS if metric.measured_null}


def table_of(vectors: np.ndarray, *, counted: bool = True, special: frozenset[int] = frozenset({0})) -> TokenTable:
    V = len(vectors)
    counts = (1000 / np.arange(1, V + 1)).astype(np.int64) if counted else None
    return TokenTable(vectors.astype(np.float32), [str(i) for i in range(V)], counts, special)


@pytest.mark.parametrize(
    "vectors",
    [
        np.random.default_rng(0).standard_normal((300, 12)) + 0.4,
        np.random.default_rng(0).standard_normal((4, 9)),
        np.random.default_rng(0).standard_normal((30, 1)),
        np.zeros((20, 5)),
        np.ones((20, 5)),
        np.eye(8),
        np.zeros((1, 1)),
        np.vstack([np.zeros((5, 3)), np.random.default_rng(1).standard_normal((40, 3))]),
    ],
)
@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("started", [True, False])
def test_every_number_is_finite_or_a_reason_and_is_declared(vectors, counted, started):
    table = table_of(vectors, counted=counted)
    first = np.random.default_rng(9).standard_normal(vectors.shape).astype(np.float32) if started else None
    survey = measure_geometry(table, first=first, nulls=3, seed=0)
    for key, value in survey.numbers.items():
        assert isinstance(value, Missing) or math.isfinite(value), key
        assert find_metric(f"geometry/E/{key}") is not None, key


def test_each_number_that_has_a_null_stands_beside_it():
    survey = measure_geometry(
        table_of(np.random.default_rng(0).standard_normal((200, 8))), first=np.ones((200, 8)), nulls=3, seed=0
    )
    for key in NEEDS_NULL & set(survey.numbers):
        assert isinstance(survey.numbers[f"{key}/null"], float), key
        assert isinstance(survey.numbers[f"{key}/null_sd"], float), key
    assert {"mean_cosine_raw", "effective_rank_sigma_uncentred", "drift_cosine", "drift_relative"} <= NEEDS_NULL


def test_a_random_table_lies_within_its_own_null_and_a_cone_outside():
    random = np.random.default_rng(3).standard_normal((2000, 16))
    for shift, outside in ((0.0, False), (1.0, True)):
        numbers = measure_geometry(table_of(random + shift), first=None, nulls=8, seed=1).numbers
        far = abs(numbers["mean_cosine_raw"] - numbers["mean_cosine_raw/null"]) > 6 * numbers["mean_cosine_raw/null_sd"]
        assert far == outside
        fell = numbers["effective_rank_sigma_uncentred/null"] - numbers["effective_rank_sigma_uncentred"] > 0.5
        assert fell == outside


def test_never_seen_rows_move_only_the_numbers_that_say_so():
    vectors = np.random.default_rng(4).standard_normal((600, 8))
    vectors[400:] = 5.0
    counts = np.where(np.arange(600) < 400, 10, 0)
    table = TokenTable(vectors.astype(np.float32), [""] * 600, counts)
    numbers = measure_geometry(table, first=None, nulls=2, seed=0).numbers
    assert numbers["rows_measured"] == 400
    assert abs(numbers["mean_cosine_raw"]) < 0.02 < numbers["mean_cosine_raw_all_rows"]


def test_the_same_seed_gives_the_same_survey():
    table = table_of(np.random.default_rng(5).standard_normal((100, 6)))
    one, two = (measure_geometry(table, first=None, nulls=2, seed=7).numbers for _ in range(2))
    assert {k: v for k, v in one.items() if isinstance(v, float)} == {
        k: v for k, v in two.items() if isinstance(v, float)
    }
