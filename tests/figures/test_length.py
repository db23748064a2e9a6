"""Curves over window lengths: the own start and the null beside each, intervals, and positions that do not exist."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rowspace.figures.length import draw_lengths, draw_positions
from rowspace.figures.style import GREY, OPTION_COLOURS, legend_names


def row(label: str, factor: int, bpb: float | None, scheme: str = "", **more: Any) -> dict[str, Any]:
    known = {"change": 0.1 * (factor - 1), "change_low": 0.08 * (factor - 1), "change_high": 0.15 * (factor - 1)}
    return {
        "label": label,
        "scheme": scheme or label,
        "factor": factor,
        "length": 64 * factor,
        "bpb": bpb,
        "loss": bpb,
        "unigram_bpb": 2.5,
        "unigram_loss": 2.5,
        **(known if bpb is not None else dict.fromkeys(known)),
        **more,
    }


ROWS = [
    *(row("rope", factor, 1.5 + 0.1 * (factor - 1)) for factor in (1, 2, 4)),
    row("learned", 1, 1.6),
    row("learned", 2, None),
    row("learned", 4, None),
]
CURVE = [
    {"label": "rope", "scheme": "rope", "trained_lengths": x, "bpb": 1.5, "trained_length_bpb": 1.4, "unigram_bpb": 2.5}
    for x in (0.5, 1.5, 2.5)
]


@pytest.mark.parametrize("windows", ["apart", "sliding"])
def test_each_curve_has_its_start_its_interval_and_the_null_in_grey(windows: str):
    figure = draw_lengths(ROWS, windows, "bpb")
    traces = {trace.name: trace for trace in figure.data if trace.showlegend is not False}
    assert list(traces) == ["rope", "learned (no position beyond 1x)", "token frequencies"]
    rope = traces["rope"]
    assert (list(rope.x), list(rope.y)) == ([1, 2, 4], [1.5, 1.6, 1.8])
    assert list(rope.error_y.array) == pytest.approx([0, 0.05, 0.15])
    assert list(rope.error_y.arrayminus) == pytest.approx([0, 0.02, 0.06])
    assert rope.line.color == OPTION_COLOURS["rope"]
    assert traces["token frequencies"].line.color == GREY
    assert list(traces["token frequencies"].y) == [2.5, 2.5]
    levels = [trace for trace in figure.data if trace.showlegend is False]
    assert [list(level.y) for level in levels] == [[1.5, 1.5], [1.6, 1.6]]
    assert list(figure.layout.xaxis.ticktext) == ["1x", "2x", "4x"]


def test_by_position_the_same_targets_at_the_trained_length_stand_beside():
    figure = draw_positions(CURVE, "bpb")
    assert [trace.name for trace in figure.data] == ["rope", "rope, trained length", "token frequencies"]
    assert figure.layout.shapes[0].x0 == 1


def test_every_figure_asks_and_can_be_read_and_is_small_lists():
    for figure in (draw_lengths(ROWS, "apart", "loss"), draw_positions(CURVE, "bpb", " (as trained)")):
        layout = figure.layout
        assert "?" in layout.title.text
        assert layout.xaxis.title.text
        assert layout.yaxis.title.text in ("bits per byte", "nats per token")
        assert len(layout.meta["caption"]) > 50
        assert "bdata" not in figure.to_json()


def test_labels_of_a_folder_are_never_markup():
    hostile = "<a href='http://x'>rope</a>"
    rows = [row(hostile, factor, 1.0, "rope") for factor in (1, 2)]
    for figure in (draw_lengths(rows, "apart", "bpb"), draw_positions([{**CURVE[0], "label": hostile}], "bpb")):
        names = [trace["name"] for trace in json.loads(figure.to_json())["data"] if "name" in trace]
        assert not [name for name in names if "<a" in name]


def test_long_labels_are_shortened_in_the_legend_and_whole_on_hover():
    long = [f"rope, tokenizer byte, V 257 (byte257_d128_rope_tied_seed{n}-e7917f7{n})" for n in range(2)]
    rows = [row(label, factor, 1.0, "rope") for label in long for factor in (1, 2)]
    curve = [{**CURVE[0], "label": label} for label in long]
    for figure in (draw_lengths(rows, "apart", "bpb"), draw_positions(curve, "bpb")):
        own = [trace for trace in figure.data if trace.hovertemplate]
        assert [trace.name for trace in own] == [f"rope, tokenize…{label[-13:]}" for label in long]
        assert [label in trace.hovertemplate for label, trace in zip(long, own, strict=True)] == [True, True]


def test_labels_that_would_look_alike_stay_whole_and_a_legend_keeps_their_order():
    alike = [f"the same long beginning {middle} and the same long end" for middle in "ab"]
    assert list(legend_names(alike).values()) == alike
    assert draw_lengths(ROWS, "apart", "bpb").layout.legend.traceorder == "normal"
