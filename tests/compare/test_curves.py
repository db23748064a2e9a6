"""Curves are thinned and joined without inventing a point."""

import numpy as np

from rowspace.compare.curves import curve_of, gathered, joined, series, short, thinned
from rowspace.figures.comparison_curves import Curve
from tests.compare.planted import ran


def test_rows_without_a_value_are_left_out():
    rows = [{"tokens": 0.0, "val/bpb": 3.0}, {"tokens": None, "val/bpb": 2.5}, {"tokens": 9.0, "val/bpb": None}]
    x, y = series(rows, "tokens", "val/bpb")
    assert x.tolist() == [0.0]
    assert y.tolist() == [3.0]
    assert len(series([], "tokens", "val/bpb")[0]) == 0


def test_a_long_curve_keeps_its_ends():
    x = np.arange(1000.0)
    thin, _ = thinned((x, x))
    assert len(thin) == 40
    assert thin[[0, -1]].tolist() == [0.0, 999.0]


def test_seeds_are_joined_where_all_were_measured():
    one = (np.array([0.0, 10.0, 20.0]), np.array([3.0, 2.0, 1.0]))
    other = (np.array([0.0, 20.0]), np.array([5.0, 3.0]))
    curve = joined("arm", [one, other])
    assert curve == Curve("arm", [0.0, 10.0, 20.0], [4.0, 3.0, 2.0], [3.0, 2.0, 1.0], [5.0, 4.0, 3.0])
    shorter = joined("arm", [one, (np.array([0.0, 15.0]), np.array([5.0, 3.0]))])
    assert shorter is not None
    assert shorter.x == [0.0, 10.0]  # never beyond the end of a seed


def test_one_seed_has_no_band_and_none_no_curve():
    alone = joined("arm", [(np.array([1.0]), np.array([2.0]))])
    assert alone == Curve("arm", [1.0], [2.0])
    assert joined("arm", []) is None
    assert joined("arm", [(np.array([]), np.array([]))]) is None
    apart = [(np.array([0.0, 1.0]), np.array([1.0, 1.0])), (np.array([5.0, 6.0]), np.array([1.0, 1.0]))]
    assert joined("arm", apart) is None


def test_many_runs_are_one_line_with_gaps():
    run = ran({"position": "rope", "seed": 0}, 1.0, curve=({"tokens": 1.0, "val/bpb": 2.123456789},))
    curve = curve_of(run, "tokens", "val/bpb", {run.path: 7})
    assert curve.y == [2.1235]
    both = gathered("rope", [curve, curve], "#000000")
    assert both.y == [2.1235, None, 2.1235, None]
    assert both.runs == [[7], [7]]


def test_numbers_are_short():
    assert short(np.array([1 / 3, 123456.7, 0.0])) == [0.33333, 123460.0, 0.0]
