"""Counts read from rows: planted ones are found, whatever the rotation and scale; dealt ones fall to chance."""

import numpy as np
import pytest

from rowspace.probes.decoding import decode_counts, find_kernel
from rowspace.table import Missing

N = 300
COUNTS = np.round(np.exp(np.random.default_rng(5).uniform(1, 9, N))).astype(np.int64)
LOGS = np.log(COUNTS)


def noise(d=10):
    return np.random.default_rng(0).standard_normal((N, d)).astype(np.float32)


def in_direction():
    rows = noise()
    rows[:, 3] = LOGS - LOGS.mean()
    return rows


def in_length():
    return noise() * LOGS[:, None].astype(np.float32)


@pytest.mark.parametrize("planted", [in_direction, in_length])
def test_a_planted_count_is_read_and_dealt_counts_are_not(planted):
    rows = planted()
    found = decode_counts(rows, COUNTS, seed=0)
    assert found.spearman > 0.6 > found.null.high
    dealt = decode_counts(rows, COUNTS[np.random.default_rng(1).permutation(N)], seed=0)
    assert dealt.null.low <= dealt.spearman <= dealt.null.high


def test_neither_a_rotation_nor_a_scale_matters():
    rows = in_direction()
    turn = np.linalg.qr(np.random.default_rng(2).standard_normal((10, 10)))[0]
    turned = (7 * rows @ turn).astype(np.float32)
    one, other = (decode_counts(each, COUNTS, seed=0).spearman for each in (rows, turned))
    assert one == pytest.approx(other, abs=1e-3)
    norms = np.linalg.norm(rows, axis=1)
    units = rows / norms[:, None]
    assert find_kernel(units, norms) == pytest.approx(find_kernel((units @ turn), 7 * norms), abs=1e-4)


def test_one_hot_rows_hold_no_frequency_at_all():
    found = decode_counts(np.eye(N, dtype=np.float32), COUNTS, seed=0)
    assert (found.spearman, found.null.low, found.null.high) == (0.0, 0.0, 0.0)


def test_what_cannot_be_asked_has_a_reason():
    rows = noise()
    few = np.where(np.arange(N) < 10, COUNTS, 0)
    assert "fewer than 20" in decode_counts(rows, few, seed=0).spearman.reason
    same = decode_counts(rows, np.full(N, 7), seed=0)
    assert isinstance(same.spearman, Missing)
    assert "as frequent" in same.spearman.reason
