"""Where the gradient stops: a bar for what it reaches, a mark and the reason for what it does not."""

from __future__ import annotations

from rowspace.figures.reach import draw_reach

ABOUT = {"shape": "(3,)", "type": "float32", "why": None}
ROWS = [
    {"array": "text", "kind": "STATE", **ABOUT, "gradient": None, "why": "no <b>numbers</b>"},
    {"array": "ids x", "kind": "STATE", **ABOUT, "gradient": None, "why": "whole numbers"},
    {"array": "table E", "kind": "LEARNED", **ABOUT, "gradient": 0.5},
    {"array": "positions P", "kind": "CONFIG", **ABOUT, "gradient": None, "why": "fixed"},
    {"array": "loss", "kind": "STATE", **ABOUT, "gradient": 1.0},
]


def test_bars_end_at_the_length_and_what_has_no_gradient_says_why():
    states, learned, stopped = draw_reach(ROWS).data
    assert [base + x for base, x in zip(learned.base, learned.x, strict=True)] == [0.5]
    assert list(states.y) == [4]
    assert list(stopped.y) == [0, 1, 3]
    assert stopped.text[0] == "  no &lt;b&gt;numbers&lt;/b&gt;"


def test_the_line_stands_between_the_ids_and_the_table():
    assert draw_reach(ROWS).layout.shapes[0].y0 == 1.5


def test_a_gradient_of_nothing_has_the_shortest_bar():
    rows = [{**row, "gradient": 0.0 if row["gradient"] else row["gradient"]} for row in ROWS]
    states, *_ = draw_reach(rows).data
    assert list(states.x) == [0.0]
