"""The figure of how far states moved: both measures with their chance in grey."""

import json

from rowspace.figures.contextual import draw_contextual


def row(layer, own=0.5, other=0.1):
    return {"layer": layer, "overlap": 1.0 - 0.3 * layer, "overlap_chance": 0.01, "own_row": own, "other_row": other}


def test_each_curve_has_its_chance_in_grey():
    found = draw_contextual([row(0), row(1), row(2)])
    assert [trace.name for trace in found.data] == [
        "chance",
        "neighbours kept",
        "cosine to other rows",
        "cosine to the own row",
    ]
    assert found.data[0].line.color == found.data[2].line.color == "#8a8a8a"
    assert found.data[0].line.dash != found.data[2].line.dash
    assert list(found.data[1].y) == [1.0, 0.7, 0.4]


def test_without_prompts_neighbours_stand_alone_and_negative_cosines_are_seen():
    assert len(draw_contextual([row(0, None, None), row(1, None, None)]).data) == 2
    found = draw_contextual([row(0), row(1, own=-0.4)])
    assert found.layout.yaxis.range[0] < -0.4
    assert "bdata" not in json.dumps(found.to_plotly_json(), default=list)
