"""Two tables compared: chance is found as chance, hubs count as chance, and what is planted is found."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from rowspace.geometry.matching import Matching, find_overlap_null, measure_matching
from rowspace.table import Missing


def matched(first, second, *, queries=1000, shuffles=8) -> Matching:
    return measure_matching(first, second, k=10, queries=queries, shuffles=shuffles, seed=0)


def table(seed: int, V: int = 600, d: int = 20) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((V, d)).astype(np.float32)


@pytest.mark.parametrize("seed", range(3))
def test_unrelated_tables_are_at_chance_in_every_number(seed):
    found = matched(table(seed), table(seed + 50))
    assert found.overlap_null.low < found.overlap < found.overlap_null.high
    assert found.cka_null.low < found.cka < found.cka_null.high
    assert found.procrustes_null.low < found.procrustes.held_out < found.procrustes_null.high
    assert found.cka == pytest.approx(found.cka_floor, rel=0.15)
    assert found.overlap_null.mean == pytest.approx(found.chance, rel=0.2)


def test_a_turned_table_is_the_same_in_every_number():
    one = table(1)
    found = matched(one, 3 * one @ ortho_group.rvs(20, random_state=0))
    assert (found.overlap, found.jaccard) == pytest.approx((1, 1), abs=0.01)
    assert (found.cka, found.procrustes.held_out) == pytest.approx((1, 1), abs=1e-4)


def test_the_same_rows_dealt_out_to_other_tokens_are_at_chance():
    one = table(2) + np.random.default_rng(3).standard_normal(20).astype(np.float32) * 2  # a cone, full of hubs
    found = matched(one, one[np.random.default_rng(4).permutation(600)])
    assert found.overlap_null.low < found.overlap < found.overlap_null.high
    assert found.cka < found.cka_null.high
    assert found.procrustes.held_out < found.procrustes_null.high


def test_hubs_that_two_tables_share_count_as_chance():
    always = np.tile(np.arange(10), (300, 1))
    spread = find_overlap_null(always, always, seed=0)
    assert spread.mean == 1.0


def test_a_sample_asks_and_zero_rows_do_not():
    one = table(5)
    one[::3] = 0
    found = matched(one, table(6), queries=77)
    assert len(found.asked) == 77
    assert (found.asked % 3 > 0).all()
    assert not (found.first % 3 == 0).any()


@pytest.mark.parametrize("V", [0, 1, 2, 3])
def test_too_few_rows_give_reasons(V):
    found = matched(table(7, V=V), table(8, V=V))
    assert isinstance(found.procrustes, Missing)
    assert isinstance(found.overlap, Missing) == (V < 2)
    assert isinstance(found.overlap_null.mean, Missing) == (V < 2)
