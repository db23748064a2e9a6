"""Boxes of an indicator by training count, and its histogram where nobody counted."""

from __future__ import annotations

import numpy as np
import pytest

from rowspace.figures.style import GREY
from rowspace.figures.undertrained import draw_by_count, draw_values


def test_boxes_hold_the_rows_of_their_counts() -> None:
    counts, values = np.array([0, 0, 0, 3, 50, 5000]), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    drawn = draw_by_count(values, counts, limit=2.5, label="length", min_count=5)
    box, middle, limit = drawn.data
    assert list(box.y) == ["0 (3)", "1–4 (1)", "20–99 (1)", "1,000+ (1)"]
    assert box.orientation == "h"
    assert (set(middle.x), middle.line.color) == ({3.5}, GREY)  # where a box would lie that knows nothing
    assert list(box.median) == [2, 4, 5, 6]
    assert box.q1[0] == pytest.approx(1.5)
    assert set(limit.x) == {2.5}


@pytest.mark.parametrize("counts", [[], [-1, -5], [np.nan, np.nan], [np.inf, -np.inf]])
def test_rows_without_a_count_have_no_box(counts: list[float]) -> None:
    values = np.ones(len(counts))
    drawn = draw_by_count(values, np.array(counts), limit=0.5, label="length", min_count=5)
    assert [len(trace.y) for trace in drawn.data] == [0, 0, 0]


def test_a_histogram_counts_every_row() -> None:
    drawn = draw_values(np.arange(100.0), limit=2.0, label="length")
    assert sum(drawn.data[0].y) == 100
    assert list(drawn.data[1].x) == [2.0, 2.0]
    assert sum(draw_values(np.zeros(0), limit=0.0, label="length").data[0].y) == 0
