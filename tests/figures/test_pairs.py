"""Percentiles of pairs: a point each, successes and others apart by shape, chance drawn, no markup."""

from rowspace.figures.pairs import draw_pairs

ROWS = [
    {"one": "cat", "other": "kitten", "relation": "young", "percentile": 99.0, "percentile_matched": 98.0}
    | {"verdict": "success"},
    {"one": "<b>x</b>", "other": "y", "relation": "<i>odd</i>", "percentile": 40.0, "percentile_matched": 41.0}
    | {"verdict": "failure"},
]


def test_every_pair_is_a_point_and_kinds_differ_by_shape():
    figure = draw_pairs(ROWS, close=95)
    success, other = figure.data
    assert list(success.x) == [99.0]
    assert list(other.x) == [40.0]
    assert success.marker.symbol != other.marker.symbol
    assert [shape.x0 for shape in figure.layout.shapes] == [50, 95]


def test_words_and_relations_are_never_markup():
    assert "<b>" not in str(draw_pairs(ROWS, close=95).data[1].text)
    assert "<i>" not in str(draw_pairs(ROWS, close=95).data[1].y)


def test_nothing_counted_is_an_empty_figure():
    assert [len(trace.x) for trace in draw_pairs([], close=95).data] == [0, 0]
