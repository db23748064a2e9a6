"""Panels of effects, interactions and standings: what is drawn is what was found."""

import json

import pytest

from rowspace.figures.comparison import NO_BAR, Mark, draw_effect, draw_interaction, draw_standings, option_colours
from rowspace.figures.style import BLUE, GREEN, ORANGE
from tests.figures.rows import HOSTILE

LEVELS = [
    Mark("rope", -0.1, -0.12, -0.08, (-0.11, -0.09), ("run a", HOSTILE)),
    Mark("none", 0.1, None, None, (0.1,), ("run b",)),
]


@pytest.fixture
def effect():
    return draw_effect(
        LEVELS, title=f"Does it? {HOSTILE}", axis=f"axis {HOSTILE}", unit="bits per byte", reach=(-0.2, 0.2)
    )


def test_an_effect_has_its_means_bars_points_and_zero_line(effect):
    zero, points, means = effect.data
    assert list(zero.y) == [0.0, 0.0]
    assert list(points.y) == [-0.11, -0.09, 0.1]
    assert [round(x) for x in points.x] == [0, 0, 1]
    assert list(means.y) == [-0.1, 0.1]
    assert list(means.error_y.array) == [pytest.approx(0.02), NO_BAR]
    assert list(means.error_y.arrayminus) == [pytest.approx(0.02), NO_BAR]
    assert "without an interval" in means.text[1]
    assert list(effect.layout.yaxis.range) == [-0.2, 0.2]
    assert list(means.marker.color) == [BLUE, GREEN]


def test_labels_and_names_are_escaped_and_numbers_are_lists(effect):
    standings = draw_standings(LEVELS, title=HOSTILE, unit="bits per byte")
    pair = draw_interaction([(HOSTILE, LEVELS)], title=HOSTILE, axis=HOSTILE, by=HOSTILE, unit="x")
    for figure in (effect, standings, pair):
        text = figure.to_json()
        assert "<script>" not in json.dumps(json.loads(text), ensure_ascii=False).replace("<br>", "")
        assert "bdata" not in text


def test_options_have_their_colours_and_numbers_one_blue():
    assert option_colours(["alibi", "none"]) == [ORANGE, GREEN]
    assert option_colours(["32", "64"]) == [BLUE, BLUE]


def test_lines_of_two_levels_are_told_apart_by_colour_and_sign():
    marks = [Mark("rope", 1.0, 0.9, 1.1), Mark("none", 1.2, 1.1, 1.3)]
    drawn = draw_interaction(
        [("32", marks), ("64", marks[:1])], title="t", axis="position", by="d", unit="bits per byte"
    )
    first, second = drawn.data
    assert first.line.color != second.line.color
    assert first.marker.symbol != second.marker.symbol
    assert list(drawn.layout.xaxis.ticktext) == ["rope", "none"]
    assert [round(x) for x in second.x] == [0]


def test_the_first_arm_stands_at_the_top_and_the_rest_is_counted():
    drawn = draw_standings(LEVELS, title="Who?", unit="bits per byte", left_out=40)
    best, points, means = drawn.data
    assert list(best.x) == [-0.1, -0.1]
    assert list(means.x) == [-0.1, 0.1]
    assert [round(y) for y in points.y] == [0, 0, 1]
    assert 0 not in points.y  # beside the mean, not under it
    assert drawn.layout.yaxis.ticktext[0] == "1. rope"
    assert drawn.layout.yaxis.range[0] > drawn.layout.yaxis.range[1]
    assert "40 arms further down" in drawn.layout.meta["caption"]
