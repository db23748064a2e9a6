"""Gradient norms over distance: a curve and its null each, no zero on the logarithmic axis, no markup."""

from __future__ import annotations

from rowspace.figures.distance import draw_distances
from rowspace.figures.style import GREY


def rows(label: str) -> list[dict]:
    return [
        {
            "label": label,
            "weights": weights,
            "distance": k,
            "norm": size / 2**k if k < 3 else 0.0,
            "norm_low": size / 3**k if k < 2 else 0.0,
            "norm_high": size,
        }
        for weights, size in (("trained", 2.0), ("start", 1.0))
        for k in range(4)
    ]


def test_each_body_has_a_curve_and_its_start_in_grey():
    figure = draw_distances([*rows("rnn"), *rows("lstm")])
    named = {trace.name: trace for trace in figure.data if trace.name}
    assert list(named) == ["rnn before training", "rnn", "lstm before training", "lstm", "each before training"]
    assert [t.name for t in figure.data if t.name and t.showlegend is not False] == [
        "rnn",
        "lstm",
        "each before training",
    ]
    assert "rnn before training" in named["rnn before training"].hovertemplate
    assert list(named["rnn"].y) == [2.0, 1.0, 0.5]
    assert list(named["rnn before training"].y) == [1.0, 0.5, 0.25]
    assert named["rnn before training"].line.color == named["lstm before training"].line.color == GREY
    assert named["rnn before training"].line.dash != named["lstm before training"].line.dash
    assert figure.layout.yaxis.type == "log"
    assert all(value > 0 for trace in figure.data for value in trace.y if trace.name != "each before training")


def test_alone_a_body_says_which_curve_is_its_start():
    figure = draw_distances(rows("rnn"))
    assert [t.name for t in figure.data if t.name and t.showlegend is not False] == ["rnn before training", "rnn"]


def test_labels_are_never_markup():
    assert not [t.name for t in draw_distances(rows("<b>x</b>")).data if t.name and "<b>" in t.name]
