"""Whether the head undoes the look-up: exact, tied and untied, with the null that fits each."""

import numpy as np
import pytest

from rowspace.probes.inverse import TIED, find_largest, find_mapping_rows, measure_inverse
from rowspace.table import Missing, TokenTable

V, D = 400, 24
COUNTS = np.random.default_rng(0).zipf(1.4, V).clip(1, 10**6)


def table_of(vectors: np.ndarray, counts: np.ndarray | None = COUNTS) -> TokenTable:
    return TokenTable(vectors.astype(np.float32), [f"w{i}" for i in range(V)], counts, frozenset({0}))


def rows(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((V, D))


def test_the_largest_product_is_that_of_numpy_over_every_block():
    E, U = np.random.default_rng(1).standard_normal((1100, 4)), np.random.default_rng(2).standard_normal((40_000, 4))
    E, U = E.astype(np.float32), U.astype(np.float32)
    assert (find_largest(E, U) == (E.astype(float) @ U.T.astype(float)).argmax(axis=1)).mean() > 0.999


def test_two_rows_that_answer_alike_are_a_tie():
    U = np.eye(5, dtype=np.float32)
    U[4] = U[3]
    assert find_largest(np.eye(5, dtype=np.float32)[2:4], U).tolist() == [2, TIED]


def test_a_head_that_undoes_the_look_up_scores_one_and_another_scores_chance():
    E = rows(3)
    inverse = np.linalg.pinv(E).T
    found = measure_inverse(table_of(E), table_of(inverse), tied=False, sample=None, seed=0)
    assert found.rate > 0.9
    assert found.rate > found.null.high
    assert len(found.asked) == V - 1
    for seed in range(20):
        found = measure_inverse(table_of(E), table_of(rows(50 + seed)), tied=False, sample=None, seed=seed)
        assert found.null.low <= found.rate <= found.null.high


def test_an_untrained_tied_table_is_at_chance_though_nearly_all_rows_answer_themselves():
    for seed in range(20):
        E = table_of(rows(seed) * 0.02)
        found = measure_inverse(E, E, tied=True, sample=None, seed=seed)
        assert found.rate > 0.9
        assert found.null.chance > 0.9
        assert found.null.low <= found.rate <= found.null.high


def test_long_rows_that_answer_for_others_put_a_tied_table_below_chance():
    vectors = rows(4)
    vectors[:, 0] = 3
    vectors[5] = 0
    vectors[5, 0] = 40
    E = table_of(vectors)
    found = measure_inverse(E, E, tied=True, sample=None, seed=0)
    assert found.rate < found.null.low
    shown = find_mapping_rows(E, found, limit=10)
    assert sum(row["maps_to"] == "w5" for row in shown) >= 5
    assert {"success", "failure"} >= {row["verdict"] for row in shown} >= {"failure"}


def test_one_answer_for_all_is_no_knowledge():
    U = np.zeros((V, D))
    U[int(COUNTS.argmax())] = 10
    E = np.abs(rows(5))
    found = measure_inverse(table_of(E), table_of(U), tied=False, sample=None, seed=0)
    assert 0 < found.rate <= found.null.high


def test_a_sample_is_seeded_and_holds_no_special_token():
    E = table_of(rows(6))
    one, again, other = (measure_inverse(E, E, tied=True, sample=50, seed=s) for s in (1, 1, 2))
    assert len(one.asked) == 50
    assert (one.asked == again.asked).all()
    assert (one.asked != other.asked).any()
    assert 0 not in one.asked


def test_the_rate_by_frequency_is_that_of_its_tenth_and_missing_without_counts():
    E = rows(7)
    U = np.linalg.pinv(E).T
    U[np.quantile(COUNTS, 0.5) > COUNTS] = 0
    found = measure_inverse(table_of(E), table_of(U), tied=False, sample=None, seed=0)
    assert found.by_decile[9] > 0.8
    assert found.by_decile[0] < 0.2
    bare = measure_inverse(table_of(E, None), table_of(U, None), tied=False, sample=None, seed=0)
    assert all(isinstance(rate, Missing) for rate in bare.by_decile)


def test_a_table_of_special_tokens_alone_has_a_reason():
    one = TokenTable(np.ones((1, 2), dtype=np.float32), ["<eos>"], None, frozenset({0}))
    assert isinstance(measure_inverse(one, one, tied=True, sample=None, seed=0).rate, Missing)


def test_shown_tokens_are_the_commonest_of_both_kinds():
    E = rows(8)
    found = measure_inverse(table_of(E), table_of(rows(9)), tied=False, sample=None, seed=0)
    shown = find_mapping_rows(table_of(E), found, limit=6)
    counts = [row["count"] for row in shown if row["verdict"] == "failure"]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == pytest.approx(COUNTS[1:].max())
