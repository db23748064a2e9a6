"""Intervals against scipy.stats, and how often they hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest

from rowspace.compare.intervals import LEVEL, Estimate, estimate, holm, interval, paired, welch
from rowspace.table import Missing

STUDIES = 2000


def test_limits_are_those_of_scipy() -> None:
    from scipy import stats

    rng = np.random.default_rng(1)
    ours, theirs = rng.normal(2, 0.1, 5).tolist(), rng.normal(2.1, 0.3, 5).tolist()
    related = stats.ttest_rel(ours, theirs)
    apart = stats.ttest_ind(ours, theirs[:4], equal_var=False)
    alone = stats.ttest_1samp(ours, 0.0)
    for found, wanted in (
        (paired(ours, theirs), related),
        (welch(ours, theirs[:4]), apart),
        (estimate(ours), alone),
    ):
        assert found is not None
        limits = wanted.confidence_interval(0.95)
        assert [found.interval.low, found.interval.high] == pytest.approx([limits.low, limits.high], rel=1e-9)
        assert found.p_zero == pytest.approx(wanted.pvalue, rel=1e-9)
        assert found.df == pytest.approx(wanted.df)


def test_one_seed_has_a_mean_and_no_limits() -> None:
    found = interval([2.1])
    assert (found.mean, found.n) == (2.1, 1)
    assert isinstance(found.low, Missing)
    assert "two or more" in found.low.reason
    assert welch([1.0], [1.0, 2.0]) is None
    assert estimate([]) is None


def test_values_that_are_all_the_same_have_no_width() -> None:
    found = paired([0.3, 0.4, 0.5], [0.1, 0.2, 0.3])
    assert found is not None
    same = estimate([0.1, 0.1, 0.1])
    assert same is not None
    assert (same.interval.low, same.interval.high, same.sd, same.p_zero) == (0.1, 0.1, 0.0, 0.0)
    none = estimate([0.0, 0.0])
    assert none is not None
    assert (none.p_zero, none.p_beyond(0.01)) == (1.0, 0.0)
    level = welch([0.1, 0.1], [0.1, 0.1, 0.1])
    assert level is not None
    assert (level.mean, level.error, level.df) == (0.0, 0.0, 3.0)


def test_within_the_margin_is_the_interval_within_it() -> None:
    for mean in (-0.02, 0.0, 0.004, 0.007, 0.02):
        found = Estimate(mean, 0.002, 4, 5, 0.0045)
        limits = found.interval
        assert not isinstance(limits.low, Missing)
        assert not isinstance(limits.high, Missing)
        inside = limits.low > -0.01 and limits.high < 0.01
        assert (found.p_beyond(0.01) <= LEVEL / 2) == inside


def test_holm_steps_down() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize("n", [2, 3, 6])
def test_intervals_of_means_and_pairs_cover_nineteen_times_in_twenty(n: int) -> None:
    rng = np.random.default_rng(n)
    held = {"mean": 0, "paired": 0}
    for _ in range(STUDIES):
        seed, ours, theirs = rng.normal(0, 0.05, n), rng.normal(0, 0.01, n), rng.normal(0, 0.02, n)
        difference = paired((2.1 + seed + ours).tolist(), (2.0 + seed + theirs).tolist())
        assert difference is not None
        held["mean"] += _holds(interval((2.1 + seed + ours).tolist()), 2.1)
        held["paired"] += _holds(difference.interval, 0.1)
    assert {name: 0.93 <= count / STUDIES <= 0.97 for name, count in held.items()} == dict.fromkeys(held, True), held


@pytest.mark.parametrize(("n", "m", "ratio"), [(3, 3, 1.0), (5, 4, 2.0), (8, 3, 0.5)])
def test_welch_covers_nineteen_times_in_twenty_with_unlike_spreads(n: int, m: int, ratio: float) -> None:
    rng = np.random.default_rng(10 * n + m)
    held = 0
    for _ in range(STUDIES):
        found = welch(rng.normal(2.1, 0.01, n).tolist(), rng.normal(2.0, 0.01 * ratio, m).tolist())
        assert found is not None
        held += _holds(found.interval, 0.1)
    assert 0.93 <= held / STUDIES <= 0.97, held / STUDIES


def _holds(found: object, truth: float) -> bool:
    return found.low <= truth <= found.high  # type: ignore[attr-defined]
