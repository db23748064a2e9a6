"""Whether a token is told from its vector: equal rows share the hit, and dealt tokens fall to chance."""

import numpy as np
import pytest

from rowspace.probes.identity import count_twins, find_nearest_centroids, recover_rows, recover_states
from rowspace.table import Missing


def groups(n):
    return (1 + np.arange(n) * 10 // n).astype(np.int8)


def test_equal_rows_share_the_hit():
    rows = np.random.default_rng(0).standard_normal((40, 7)).astype(np.float32)
    rows[[3, 9, 30]] = rows[3]
    rows[11] = rows[12] * (1 + 1e-7)
    rows[[20, 21]] = 0
    expected = np.ones(40, dtype=int)
    expected[[3, 9, 30]], expected[[11, 12, 20, 21]] = 3, 2
    assert count_twins(rows).tolist() == expected.tolist()
    found = recover_rows(rows, groups(40))
    assert found.share == pytest.approx((33 + 3 / 3 + 4 / 2) / 40)
    assert found.n == 40


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e9])
def test_rows_that_differ_are_told_apart_at_any_size(scale):
    rows = np.eye(300, dtype=np.float32) * np.float32(scale)
    assert recover_rows(rows, groups(300)).share == 1.0


def test_rows_of_very_unequal_length_are_compared_by_the_longer():
    rows = np.array([[1e6, 0], [1e6, 1], [1, 0], [1, 1]], dtype=np.float32)
    assert count_twins(rows).tolist() == [2, 2, 1, 1]  # a millionth of the length is rounding


def test_the_nearest_mean_state_by_hand_and_a_tie_is_a_miss():
    centroids = np.array([[0.0, 0], [4, 0], [0, 4], [0, 4]])
    states = np.array([[1.0, 0], [2.5, 0.1], [0, 3]])
    assert find_nearest_centroids(states, centroids).tolist() == [0, 1, -1]


def test_states_that_are_their_rows_are_recovered_and_dealt_ones_fall_to_chance():
    generator = np.random.default_rng(1)
    rows = generator.standard_normal((500, 8)) + 100  # a common direction hides no difference
    states = rows + 0.01 * generator.standard_normal((500, 8))
    found = recover_states(states, rows, groups(500))
    assert found.share == 1.0
    assert found.null.chance == pytest.approx(1 / 50, rel=0.02)
    dealt = recover_states(states, rows[generator.permutation(500)], groups(500))
    assert dealt.null.low <= dealt.share <= dealt.null.high < 0.1


def test_what_cannot_be_asked_has_a_reason():
    assert isinstance(recover_rows(np.zeros((0, 3), np.float32), np.zeros(0, np.int8)).share, Missing)
    assert isinstance(recover_states(np.ones((1, 3)), np.ones((1, 3)), np.ones(1, np.int8)).share, Missing)
