"""Every figure: plain lists, a title, axes with units, a caption, grey nulls, and no markup from the corpus."""

import json

import pytest

from rowspace.figures.curves import draw_bpb, draw_loss
from rowspace.figures.geometry import (
    MEASURES,
    draw_by_frequency,
    draw_drift,
    draw_hit_rate,
    draw_hit_rate_by_frequency,
    draw_over_steps,
    draw_spectrum,
    find_range,
)
from rowspace.figures.map import MOST_POINTS, draw_map, sample_rows
from rowspace.figures.style import GREY, GREY_BAND
from tests.figures.rows import HOSTILE, frequency_rows, map_rows, metric_rows, spectrum_rows

FLOORS = {"uniform_bpb": 3.2, "unigram_bpb": 2.3, "uniform_loss": 9.0, "unigram_loss": 6.5}
BOTH = ("E", "U")
FIGURES = {
    "loss": draw_loss(metric_rows(), FLOORS),
    "bpb": draw_bpb(metric_rows(), FLOORS),
    "hit_rate": draw_hit_rate(metric_rows()),
    "hit_rate_by_frequency": draw_hit_rate_by_frequency(metric_rows()[-1]),
    "frequency": draw_by_frequency(frequency_rows(BOTH)),
    "drift": draw_drift(frequency_rows(BOTH)),
    "spectrum": draw_spectrum(spectrum_rows(BOTH)),
    "map": draw_map(map_rows(), table="E", share=0.07, named=[3]),
    **{measure: draw_over_steps(metric_rows(BOTH), measure, BOTH) for measure in MEASURES},
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_asks_a_question_and_can_be_read(name):
    layout = FIGURES[name].layout
    assert layout.title.text.endswith("?")
    assert layout.xaxis.title.text
    assert layout.yaxis.title.text
    assert layout.meta["caption"].rstrip().endswith((".", "%."))
    assert layout.meta["alt"]
    assert len(FIGURES[name].data) <= 9


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_carries_lists_and_no_packed_arrays(name):
    assert "bdata" not in FIGURES[name].to_json()


@pytest.mark.parametrize("name", [*MEASURES, "hit_rate", "hit_rate_by_frequency", "frequency", "drift", "spectrum"])
def test_the_null_is_drawn_in_grey(name):
    assert any(trace.line.color == GREY for trace in FIGURES[name].data if trace.type == "scatter")


def test_the_null_is_a_band_of_two_standard_deviations():
    low, high = FIGURES["hit_rate"].data[:2]
    assert high.fillcolor == GREY_BAND
    assert high.y[0] - low.y[0] == pytest.approx(4 * 0.001)


def test_floors_are_lines_with_their_names_and_those_of_validation_come_first():
    drawn = {trace.name: trace.y[0] for trace in draw_bpb(metric_rows(), {**FLOORS, "val_unigram_bpb": 2.4}).data}
    assert drawn["uniform model"] == 3.2
    assert drawn["unigram model"] == 2.4
    assert [trace.name for trace in draw_loss(metric_rows(), {"uniform_loss": None}).data] == ["training", "validation"]


def test_a_metric_that_is_null_leaves_a_gap_and_no_error():
    rows = [{**row, "val/bpb": None} for row in metric_rows()]
    assert draw_bpb(rows, {}).data == ()
    assert draw_loss([], FLOORS).data[0].name == "uniform model"


def test_small_differences_are_not_blown_up():
    low, high = find_range(draw_over_steps(metric_rows(), "mean_cosine_centred", ["E"]).data, whole=False)
    assert high - low >= 0.1
    assert find_range(draw_over_steps(metric_rows(), "effective_rank_sigma_uncentred", ["E"]).data, whole=True)[0] == 0


def test_a_map_shows_token_count_and_nearest_five_and_nothing_of_their_markup():
    text = FIGURES["map"].to_json()
    assert "<script" not in text
    assert "<a " not in text
    point = FIGURES["map"].data[0]
    assert point.hovertext[3].startswith("<b>␣king</b><br>seen 2,500 times<br>nearest: ␣queen  ")
    assert point.hovertext[3].count("  ") == 4
    assert point.customdata[3] == "seen 2,500 times|4 5 6 7 8"
    assert FIGURES["map"].data[1].text == ("<b>king</b>",)
    assert point.text[0] == "&lt;/script&gt;&lt;script&gt;window.hacked=1&lt;/script&gt;"
    assert HOSTILE not in json.dumps(json.loads(text))


def test_a_map_without_counts_says_so():
    rows = [{**row, "count": None} for row in map_rows()]
    figure = draw_map(rows, table="E")
    assert "nobody counted it" in figure.data[0].hovertext[0]
    assert figure.data[0].marker.showscale is False


def test_a_map_of_too_many_points_is_sampled_and_says_so():
    rows = [
        {"token_id": i, "token": "t", "count": i % 977, "x": 0.0, "y": 0.0, "nearest": [], "nearest_ids": []}
        for i in range(MOST_POINTS + 5000)
    ]
    kept = sample_rows(rows, [7])
    assert len(kept) <= MOST_POINTS
    assert 7 in {row["token_id"] for row in kept}
    assert {row["token_id"] for row in rows if row["count"] == 976} <= {row["token_id"] for row in kept}
    assert "25,000 tokens are drawn" in draw_map(rows, table="E").layout.meta["caption"]


def test_an_empty_map_is_a_figure():
    assert draw_map([], table="E").data[0].x == ()
