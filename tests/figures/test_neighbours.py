"""Hit rates by measure: a bar and the interval of chance for each that could be measured."""

import pytest

from rowspace.answers import Score
from rowspace.figures.neighbours import draw_measures
from rowspace.table import Missing


def score(value: float | Missing) -> Score:
    return Score("probe/neighbours/hit_rate_cosine", "x", value, 0.1, 0.05, 0.2, 5, 9)


def test_bars_carry_their_chance_with_its_interval():
    bar, chance = draw_measures([score(0.4), score(0.3)], ["cosine", "dot product"]).data
    assert list(bar.y) == [0.4, 0.3]
    assert list(chance.y) == [0.1, 0.1]
    assert list(chance.error_y.array) == pytest.approx([0.1, 0.1])
    assert list(chance.error_y.arrayminus) == pytest.approx([0.05, 0.05])


def test_what_could_not_be_measured_is_left_out():
    bar, _ = draw_measures([score(0.4), score(Missing("none"))], ["cosine", "dot product"]).data
    assert list(bar.x) == ["cosine"]
