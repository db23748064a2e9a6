"""What random tables have: the interval holds a further draw as often as it says."""

import numpy as np
import pytest
from scipy.stats import t

from rowspace.geometry.spread import find_spread
from rowspace.table import Missing


def test_the_interval_is_the_prediction_interval_of_student():
    found = find_spread([1.0, 2.0, 3.0, 6.0])
    assert (found.mean, found.sd) == pytest.approx((3.0, np.std([1, 2, 3, 6], ddof=1)))
    low, high = t.interval(0.998, 3, loc=3.0, scale=found.sd * np.sqrt(1.25))
    assert (found.low, found.high) == pytest.approx((low, high))


def test_a_further_draw_falls_outside_twice_in_a_thousand():
    draws = np.random.default_rng(0).standard_normal((20_000, 5))
    outside = 0
    for *known, further in draws:
        spread = find_spread(known)
        outside += not spread.low <= further <= spread.high
    assert 15 <= outside <= 70  # 40 expected


def test_reasons_are_kept_and_one_draw_has_no_spread():
    assert find_spread([Missing("why")]).mean == Missing("why")
    assert isinstance(find_spread([]).low, Missing)
    alone = find_spread([2.0, Missing("why")])
    assert alone.mean == 2.0
    assert isinstance(alone.sd, Missing)
