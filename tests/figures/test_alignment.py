"""Overlap by frequency: chance in grey, one curve a pair, and labels that are no markup."""

from rowspace.figures.alignment import COLOURS, draw_overlap
from rowspace.figures.style import GREY


def test_each_pair_has_a_curve_above_the_line_of_chance():
    rows = [
        {"pair": pair, "decile": decile, "overlap": 0.1 * decile, "tokens": 9}
        for pair in ("E and U", "<i>a</i> and b")
        for decile in range(1, 11)
    ]
    drawn = draw_overlap(rows, k=10, chance=0.01)
    assert drawn.layout.title.text.endswith("?")
    assert drawn.data[0].line.color == GREY
    assert drawn.data[0].y == (0.01, 0.01)
    assert [len(trace.x) for trace in drawn.data[1:]] == [10, 10]
    assert "<i>" not in drawn.to_json().replace("\\u003c", "<")
    assert "bdata" not in drawn.to_json()


def test_no_more_pairs_are_drawn_than_there_are_colours():
    rows = [{"pair": str(n), "decile": 1, "overlap": 0.5, "tokens": 3} for n in range(20)]
    assert len(draw_overlap(rows, k=5, chance=0.0).data) == 1 + len(COLOURS)
