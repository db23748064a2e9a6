"""The spectrum beside its nulls: both in grey, nothing of a table's name is markup, and few points of many."""

import pytest

from rowspace.figures.directions import MOST_POINTS, draw_directions
from rowspace.figures.style import GREY


def rows(n: int, *, counted: bool = True) -> list[dict]:
    return [
        {"index": i, "sigma": 10.0 / i, "null_sigma": 1.0, "frequency_sigma": 2.0 / i if counted else None}
        for i in range(1, n + 1)
    ]


@pytest.mark.parametrize("counted", [True, False])
def test_the_nulls_are_grey_and_the_question_stands_above(counted):
    drawn = draw_directions(rows(20, counted=counted), table="<b>E</b>")
    assert drawn.layout.title.text.endswith("?")
    assert [trace.line.color == GREY for trace in drawn.data] == [True] * (1 + counted) + [False]
    assert "<b>" not in drawn.to_json().replace("\\u003c", "<")
    assert "bdata" not in drawn.to_json()


def test_a_wide_table_keeps_its_first_directions_and_its_last():
    drawn = draw_directions(rows(5000), table="E").data[-1]
    assert len(drawn.x) <= MOST_POINTS
    assert drawn.x[:5] == (1, 2, 3, 4, 5)
    assert drawn.x[-1] == 5000


def test_an_empty_direction_is_a_gap():
    own = rows(3)
    own[2]["sigma"] = 0.0
    assert draw_directions(own, table="E").data[-1].y == (10.0, 5.0, None)
