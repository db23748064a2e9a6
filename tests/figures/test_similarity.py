"""Cosine against ratings: a colour and a shape a set, no markup."""

from rowspace.figures.similarity import draw_ratings

ROWS = [
    {"set": "WordSim-353", "one": "tiger", "other": "cat", "rating": 7.35, "cosine": 0.4},
    {"set": "SimLex-999", "one": "<b>old</b>", "other": "new", "rating": 1.58, "cosine": 0.1},
]


def test_each_set_has_points_of_its_own_shape():
    figure = draw_ratings(ROWS)
    assert [trace.name for trace in figure.data] == ["WordSim-353", "SimLex-999"]
    assert len({trace.marker.symbol for trace in figure.data}) == 2
    assert list(figure.data[0].x) == [7.35]


def test_words_are_never_markup():
    assert "<b>" not in draw_ratings(ROWS).to_json()
