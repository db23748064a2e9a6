"""Frequency bands and rank correlation, against scipy."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from rowspace.geometry.frequency import (
    find_bands,
    find_deciles,
    find_norms_by_count,
    measure_by_decile,
    measure_spearman,
)
from rowspace.table import Missing, TokenTable


def table_of(counts: list[int] | None, special: set[int] = frozenset()) -> TokenTable:
    V = 4 if counts is None else len(counts)
    known = None if counts is None else np.array(counts, dtype=np.int64)
    return TokenTable(np.ones((V, 2), dtype=np.float32), [str(i) for i in range(V)], known, frozenset(special))


def test_tenths_hold_equally_many_tokens_from_rarest_to_commonest():
    counts = list(np.random.default_rng(0).permutation(100) + 1)
    deciles = find_deciles(table_of(counts))
    assert [int((deciles == decile).sum()) for decile in range(1, 11)] == [10] * 10
    for low, high in zip(range(1, 10), range(2, 11), strict=True):
        assert max(np.array(counts)[deciles == low]) < min(np.array(counts)[deciles == high])


def test_never_seen_and_special_tokens_are_bands_of_their_own():
    deciles = find_deciles(table_of([0, 5, 0, 9, 7], special={3}))
    assert deciles.tolist() == [0, 1, 0, -1, 6]


def test_fewer_than_ten_tokens_leave_tenths_empty_and_say_so():
    deciles = find_deciles(table_of([3, 1]))
    means = measure_by_decile(np.array([10.0, 20.0]), deciles)
    assert means[0] == 20.0
    assert means[5] == 10.0
    assert sum(isinstance(mean, Missing) for mean in means) == 8
    assert [(band.decile, band.count_low, band.tokens) for band in find_bands(deciles, np.array([3, 1]))] == [
        (1, 1, 1),
        (6, 3, 1),
    ]


def test_without_counts_there_are_no_tenths():
    assert isinstance(find_deciles(table_of(None)), Missing)


def test_spearman_averages_the_ranks_of_ties():
    assert measure_spearman([1, 2, 2, 4], [1, 3, 2, 4]) == pytest.approx(0.948683, rel=1e-5)
    assert measure_spearman([10, 8, 6, 1], [0.9, 0.7, 0.8, 0.1]) == pytest.approx(0.8)


def test_spearman_is_that_of_scipy():
    generator = np.random.default_rng(1)
    for _ in range(20):
        x, y = generator.integers(0, 8, 50), generator.standard_normal(50)
        assert measure_spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


def test_a_constant_has_no_rank_correlation():
    assert isinstance(measure_spearman([1, 1, 1], [1, 2, 3]), Missing)
    assert isinstance(measure_spearman([1], [1]), Missing)


def test_norms_stand_beside_counts_from_the_rarest_on_relative_to_the_mean_of_what_was_seen():
    table = TokenTable(
        np.diag([9.0, 1.0, 3.0, 2.0]).astype(np.float32), list("abcd"), np.array([7, 50, 5, 0]), frozenset({0})
    )
    rows = find_norms_by_count(table)
    assert not isinstance(rows, Missing)
    assert [(row["token"], row["count"], row["norm"], row["relative"]) for row in rows] == [
        ("c", 5, 3.0, 1.5),
        ("b", 50, 1.0, 0.5),
    ]
    assert len(find_norms_by_count(table_of(list(range(1, 500))), most=50)) == 50


def test_norms_need_counts_and_a_row_that_is_not_zero():
    assert isinstance(find_norms_by_count(table_of(None)), Missing)
    empty = TokenTable(np.zeros((2, 2), dtype=np.float32), ["a", "b"], np.array([1, 2]))
    assert isinstance(find_norms_by_count(empty), Missing)
