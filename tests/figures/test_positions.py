"""Scores by offset and similar position rows: what moves has a band, what is a cosine keeps its scale."""

from __future__ import annotations

import pytest

from rowspace.figures.positions import draw_position_similarity, draw_scores_by_offset, measure_moved
from rowspace.figures.style import GREY, OPTION_COLOURS

SCORES = [
    {"scheme": scheme, "key": key, "offset": offset, "score": 1 / (1 + offset) + moved * (key > 10), "moved": moved}
    for scheme, moved in (("rope", 0.0), ("learned", 0.3))
    for key in (10, 1010)
    for offset in range(5)
]
SIMILAR = {"scheme": "learned", "learned": True, "d": 16, "places": [0, 1, 2], "neighbours": 0.1} | {
    "cosines": [[1.0, 0.1, -0.1], [0.1, 1.0, 0.2], [-0.1, 0.2, 1.0]]
}


def test_a_scheme_has_a_band_a_line_and_circles_in_its_colour():
    none, low, high, near, far, *_ = draw_scores_by_offset(SCORES).data
    assert none.line.color == GREY
    assert list(low.y) == list(high.y) == list(near.y)  # nothing moves
    assert near.line.color == far.marker.color == OPTION_COLOURS["rope"]
    assert list(far.x) == [0, 2, 4]
    assert [near.name, far.name] == ["rope, key at 10", "rope, key at 1,010"]


def test_a_table_of_one_place_is_drawn_all_the_same():
    assert len(draw_scores_by_offset([{**SCORES[0], "key": 0}]).data) == 5


def test_what_moving_changes_is_the_band_and_stands_in_the_caption():
    drawn = draw_scores_by_offset(SCORES)
    low, high = drawn.data[5:7]
    assert high.y[0] - low.y[0] == pytest.approx(0.6)
    assert "rope 0 but for rounding; learned 0.30" in drawn.layout.meta["caption"]
    assert measure_moved(SCORES, "learned") == 0.3


def test_cosines_keep_the_scale_of_cosines():
    (heat,) = draw_position_similarity(SIMILAR).data
    assert (heat.zmin, heat.zmax) == (-1, 1)
    assert list(heat.z[0]) == [1.0, 0.1, -0.1]
    assert "within 0.50 of 0" in draw_position_similarity(SIMILAR).layout.meta["caption"]
