"""Rogue coordinates: one long column is found, and the share is that of a direct sum over pairs."""

import numpy as np
import pytest

from rowspace.geometry.coordinates import measure_rogue_shares
from rowspace.table import Missing


def test_shares_are_those_of_the_sum_over_all_pairs():
    table = np.random.default_rng(0).standard_normal((40, 6)) + np.array([3.0, 0, 1, 0, 0, 0])
    units = table / np.linalg.norm(table, axis=1)[:, None]
    parts = np.sort([np.outer(column, column).mean() for column in units.T])[::-1]
    found = measure_rogue_shares(table)
    assert [found[n] for n in (1, 2, 3)] == pytest.approx((np.cumsum(parts) / parts.sum())[:3])


def test_one_column_that_all_rows_share_makes_the_whole_cone():
    table = np.random.default_rng(1).standard_normal((500, 30)).astype(np.float32)
    table[:, 7] += 20.0
    assert measure_rogue_shares(table)[1] > 0.99


def test_a_rotation_changes_it_which_is_why_it_is_no_headline():
    table = np.random.default_rng(2).standard_normal((200, 8)) + np.array([5.0] + [0] * 7)
    turn, _ = np.linalg.qr(np.random.default_rng(3).standard_normal((8, 8)))
    assert measure_rogue_shares(table)[1] - measure_rogue_shares(table @ turn)[1] > 0.3


def test_rows_that_cancel_have_no_share():
    for table in (np.array([[1.0, 0], [-1, 0]]), np.zeros((3, 2)), np.zeros((0, 2))):
        assert all(isinstance(value, Missing) for value in measure_rogue_shares(table).values())
