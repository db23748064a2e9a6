"""Spectra and errors of rank k: nulls grey, error from the whole norm on, numbers of the caption at one rank."""

from __future__ import annotations

from rowspace.figures.low_rank import draw_low_rank
from rowspace.figures.style import GREY

ROWS = [{"k": k, "sigma": 8.0 / k, "share": 0.8 / k, "error": 1 - 0.1 * k} for k in range(1, 6)]


def test_spectrum_and_error_stand_on_axes_of_their_own_with_nulls_in_grey():
    traces = draw_low_rank({"counts": ROWS}, {"counts": ROWS[:3]}).data
    assert [(trace.xaxis, trace.yaxis) for trace in traces] == [("x", "y"), ("x2", "y2")] * 2
    assert [trace.line.color == GREY for trace in traces] == [True, True, False, False]
    assert list(traces[2].y) == [row["share"] for row in ROWS]
    assert list(traces[3].x) == list(range(6))
    assert traces[3].y[0] == 1.0


def test_the_caption_compares_at_the_rank_that_both_have():
    caption = draw_low_rank({"counts": ROWS}, {"counts": ROWS[:3]}).layout.meta["caption"]
    assert "counts: 3 directions lose 70.0%, dealt at random 70.0%." in caption
    assert "dealt at random" not in draw_low_rank({"counts": ROWS}).layout.meta["caption"]


def test_the_two_directions_of_the_chapters_matrix_are_points():
    left, _ = draw_low_rank({"<b>": ROWS[:2]}).data
    assert left.mode == "lines+markers"
    assert left.name == "&lt;b&gt;"
