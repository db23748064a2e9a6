"""Right answers by section: three bars each, sections that did not count left out, no markup."""

from rowspace.figures.analogies import draw_sections

ROWS = [
    {"section": "gender", "set": "ours", "counted": 90, "add": 0.5, "only_b": 0.3, "add_unrestricted": 0.1},
    {"section": "<b>x</b>", "set": "ours", "counted": 2, "add": 0.0, "only_b": 0.0, "add_unrestricted": 0.0},
    {"section": "empty", "set": "ours", "counted": 0, "add": None, "only_b": None, "add_unrestricted": None},
]


def test_each_section_that_counted_has_three_bars():
    figure = draw_sections(ROWS)
    assert len(figure.data) == 3
    assert list(figure.data[0].x) == [0.5, 0.0]
    assert figure.data[0].y[0] == "gender (ours)"
    assert len({trace.marker.pattern.shape for trace in figure.data}) == 3


def test_sections_are_never_markup():
    assert "<b>" not in draw_sections(ROWS).to_json()
