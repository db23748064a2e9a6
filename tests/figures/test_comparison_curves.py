"""Curves of arms: bands, what is best, the rest in grey, and a frame that fits what is shown."""

import pytest

from rowspace.figures.comparison_curves import MOST, Curve, Star, draw_curves, find_range, say_short
from rowspace.figures.style import GREY
from tests.figures.rows import HOSTILE

WORDS = {"title": f"Which? {HOSTILE}", "x": "tokens", "y": "bits per byte", "caption": "How to read it."}


def test_a_curve_has_its_band_and_is_switched_with_it():
    drawn = draw_curves([Curve("rope", [1, 2], [3.0, 2.0], [2.9, 1.8], [3.1, 2.4])], **WORDS)
    low, high, line = drawn.data
    assert list(low.y) == [2.9, 1.8]
    assert list(high.y) == [3.1, 2.4]
    assert high.fill == "tonexty"
    assert {trace.legendgroup for trace in drawn.data} == {"0"}
    assert [trace.showlegend for trace in drawn.data] == [False, False, True]
    assert list(line.y) == [3.0, 2.0]


def test_curves_beyond_the_colours_differ_by_dash_and_others_are_one_grey_trace():
    many = [Curve(str(n), [1, 2], [n, n]) for n in range(MOST + 1)]
    drawn = draw_curves(many, grey=[Curve("a", [1], [5.0]), Curve("b", [2], [6.0])], **WORDS)
    grey, *lines = drawn.data
    assert grey.line.color == GREY
    assert grey.name == "2 others"
    assert list(grey.y) == [5.0, None, 6.0, None]
    assert lines[0].line.color == lines[MOST].line.color
    assert lines[0].line.dash != lines[MOST].line.dash
    assert len({trace.line.color for trace in lines[:MOST]}) == MOST


def test_the_best_are_starred_and_ticks_stand_where_it_was_read():
    drawn = draw_curves(
        [Curve("a", [1e3, 1e6], [2, 1])], stars=[Star(1e6, 1, HOSTILE)], log=True, ticks=[1e3, 1e6], **WORDS
    )
    star = drawn.data[-1]
    assert star.marker.symbol == "star-open"
    assert "<script>" not in star.text[0]
    assert drawn.layout.xaxis.type == "log"
    assert list(drawn.layout.xaxis.ticktext) == ["1k", "1M"]


def test_nulls_are_grey_behind_the_curves():
    drawn = draw_curves(
        [Curve("a", [0, 9], [0, 1])], nulls=[Curve("null", [0, 9], [0, 0], [-0.1, -0.1], [0.1, 0.1])], **WORDS
    )
    assert drawn.data[2].line.color == GREY
    assert drawn.data[2].name == "null"
    assert drawn.data[-1].name == "a"


def test_the_frame_leaves_out_the_start_and_the_worse_half_of_the_grey():
    curve = Curve("a", [0, 50, 100], [9.0, 1.2, 1.0])
    assert find_range([curve])[1] > 9
    assert find_range([curve], cut=0.1)[1] < 1.3
    grey = [Curve(str(n), [100], [float(n)]) for n in range(1, 10)]
    assert 5 < find_range([curve], grey, 0.1)[1] < 6
    assert find_range([]) == pytest.approx([-0.07, 1.07])
    assert find_range([Curve("flat", [1], [2.0])]) == pytest.approx([1.9, 2.1])


@pytest.mark.parametrize(
    ("value", "said"), [(0.004, "0.004"), (12_300, "12.3k"), (6.82e6, "6.82M"), (3e15, "3P"), (7, "7")]
)
def test_numbers_on_axes_are_short(value, said):
    assert say_short(value) == said
