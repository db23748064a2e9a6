"""Norm against frequency: tenths as a curve, points for one table alone, the mean in grey."""

from __future__ import annotations

import pytest

from rowspace.figures.norms import draw_norms
from rowspace.figures.style import GREY
from rowspace.table import Missing

ROWS = [
    {"token_id": n, "token": "<b>x", "count": n, "decile": 1 + n // 6, "norm": float(n), "relative": n / 5}
    for n in range(1, 11)
]


def test_one_table_has_points_and_a_curve_of_tenths():
    mean, points, curve = draw_norms({"E": ROWS}, {"E": 0.8}).data
    assert (list(mean.y), mean.line.color) == ([1, 1], GREY)
    assert list(points.y) == [n / 5 for n in range(1, 11)]
    assert list(curve.y) == [pytest.approx(0.6), pytest.approx(1.6)]
    assert "<b>" not in draw_norms({"E": ROWS}).to_json().replace("\\u003c", "<")


def test_several_tables_are_curves_alone_and_ranks_that_are_known_are_told():
    drawn = draw_norms({"E": ROWS, "<i>": ROWS}, {"E": 0.8, "<i>": Missing("one row")})
    assert [trace.name for trace in drawn.data] == ["mean norm of a table", "E", "&lt;i&gt;"]
    assert drawn.layout.meta["caption"].endswith("Rank correlation of count and norm (0: none): E +0.80.")


def test_a_table_without_rows_has_no_curve():
    assert len(draw_norms({"E": []}).data) == 2
