"""Figures as files: what is drawn is what the page has, text stays text, and the same figure gives the same bytes."""

from __future__ import annotations

import ast
import csv
import inspect
import io
import pkgutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image

import rowspace.figures
from rowspace.errors import ConfigError
from rowspace.figures.comparison import NO_BAR
from rowspace.figures.stills import KINDS, refuse_unknown, render, write_stills
from rowspace.figures.style import BLUE, GREEN, ORANGE, VERMILION, figure
from tests.figures.gallery import GALLERY, figures_of
from tests.figures.rows import HOSTILE

WORDS = {"title": "Does it?", "x": "steps", "y": "nats", "caption": "How to read it.", "alt": "A line."}
SMALL = {**WORDS, "width": 320, "height": 220}
SHARED = {"type", "name", "x", "y", "mode", "text", "opacity", "showlegend", "xaxis", "yaxis", "visible"}
DRAWN = {
    "scatter": {*SHARED, "line", "marker", "fill", "fillcolor", "stackgroup", "error_x", "error_y"}
    | {"textposition", "textfont"},
    "bar": {*SHARED, "marker", "orientation", "width", "base", "error_x", "error_y"},
    "box": {*SHARED, "marker", "orientation", "q1", "median", "q3", "lowerfence", "upperfence"},
    "heatmap": {*SHARED, "z", "zmin", "zmax", "colorscale", "showscale", "colorbar", "texttemplate", "textfont"}
    | {"xgap", "ygap"},
}
"""What a still makes of a trace."""
SCREEN = {"hoverinfo", "hovertemplate", "hovertext", "hoverlabel", "customdata", "ids", "meta", "legendgroup"}
"""What only a screen has."""
SAME = {"bar": {"textposition"}}
"""Settings of which our figures use the one that a still has anyway."""
LAYOUT = {"title", "width", "height", "legend", "showlegend", "barmode", "shapes", "annotations"}
LAYOUT_OF_PAGES = {"template", "meta", "font", "paper_bgcolor", "plot_bgcolor", "margin", "hovermode", "dragmode"}
LAYOUT_OF_PAGES |= {"modebar"}
AXIS = {"title", "type", "range", "rangemode", "tickformat", "tickvals", "ticktext", "dtick", "exponentformat", "side"}
AXIS |= {"autorange", "domain", "showgrid", "showticklabels", "tickangle", "categoryarray", "visible", "scaleanchor"}
AXIS_OF_PAGES = {"gridcolor", "zeroline", "automargin", "linecolor", "anchor", "fixedrange"}


def pixels(drawn: go.Figure) -> np.ndarray:
    """(height, width, 3) of the PNG."""
    png = render(drawn.to_plotly_json(), ("png",))["png"]
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(np.int16)


def near(image: np.ndarray, colour: str, within: int = 24) -> np.ndarray:
    """Where the picture has about this colour."""
    wanted = [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
    return (np.abs(image - wanted) <= within).all(axis=-1)


def test_every_figure_of_the_room_has_an_example():
    found = set()
    for module in pkgutil.iter_modules(rowspace.figures.__path__):
        room = import_module(f"rowspace.figures.{module.name}")
        for name, function in inspect.getmembers(room, inspect.isfunction):
            made = str(inspect.signature(function).return_annotation)
            if name.startswith("draw_") and function.__module__ == room.__name__ and "Figure" in made:
                found.add(function)
    assert found == set(GALLERY)


@pytest.mark.parametrize("draw", GALLERY, ids=lambda draw: f"{draw.__module__.split('.')[-1]}-{draw.__name__}")
def test_a_still_leaves_out_nothing_that_a_figure_of_ours_has(draw):
    for drawn in figures_of(draw):
        data = drawn.to_plotly_json()
        refuse_unknown(data)
        for trace in data["data"]:
            kind = trace["type"]
            assert set(trace) <= DRAWN[kind] | SCREEN | SAME.get(kind, set())
        axes = {key for key in data["layout"] if key[1:].startswith("axis")}
        assert set(data["layout"]) - axes <= LAYOUT | LAYOUT_OF_PAGES
        for axis in axes:
            assert set(data["layout"][axis]) <= AXIS | AXIS_OF_PAGES


@pytest.mark.slow
@pytest.mark.parametrize("draw", GALLERY, ids=lambda draw: f"{draw.__module__.split('.')[-1]}-{draw.__name__}")
def test_every_figure_can_be_drawn(draw, tmp_path):
    for drawn in figures_of(draw):
        svg, png, data = write_stills(tmp_path, "still", drawn)
        image = np.asarray(Image.open(png).convert("RGB")).astype(int)
        ink = (image.sum(axis=-1) < 600).mean()
        assert 0.002 < ink < 0.9  # neither blank nor a wall
        assert not image[-4:].sum() < image[-4:].size * 250  # nothing runs over the lower edge
        assert svg.read_bytes().count(b"<path") > 10
        assert len(data.read_text().splitlines()) > 1


@pytest.fixture(scope="module")
def lines() -> go.Figure:
    """Lines, a band, marks with bars of error and a dashed rule: what most figures are made of."""
    traces = [
        go.Scatter(x=[1, 2, 3], y=[1, 2, 3], mode="lines", line={"width": 0}, showlegend=False),
        go.Scatter(x=[1, 2, 3], y=[2, 3, 4], mode="lines", line={"width": 0}, fill="tonexty", fillcolor=ORANGE),
        go.Scatter(x=[1, 2, 3], y=[3, None, 1], mode="lines+markers", name="own", line={"color": BLUE, "width": 3}),
        go.Scatter(
            x=[1, 3],
            y=[4, 2],
            mode="markers",
            name="marks",
            marker={"color": GREEN, "size": 14, "symbol": ["square", "line-ew-open"]},
            error_y={"array": [1, NO_BAR], "arrayminus": [0.5, NO_BAR], "color": VERMILION},
        ),
    ]
    return figure(traces, **{**WORDS, "width": 400, "height": 300})


def test_a_picture_has_the_colours_the_axes_and_the_title(lines):
    image = pixels(lines)
    height, width, _ = image.shape
    assert (width, height) == (800, 600)
    for colour, least in ((BLUE, 200), (ORANGE, 5000), (GREEN, 300), (VERMILION, 40)):
        assert near(image, colour).sum() > least
    grey = near(image, "#8a8a8a", 6)
    assert grey.sum(axis=0).max() > height / 2  # the y axis from top to bottom
    assert grey.sum(axis=1).max() > width / 2
    assert (image[: height // 12, : width // 3].sum(axis=-1) < 200).sum() > 100  # the title, at the upper left
    assert (image[: height // 12, -width // 3 :].sum(axis=-1) < 700).sum() == 0


def test_bars_boxes_and_heat_maps_are_where_they_should_be():
    bars = pixels(figure([go.Bar(x=["a", "b"], y=[1, 3], marker={"color": BLUE})], **SMALL))
    filled = near(bars, BLUE).sum(axis=0)
    left, right = filled[: len(filled) // 2].max(), filled[len(filled) // 2 :].max()
    assert right / left == pytest.approx(3, rel=0.02)
    steep = figure([go.Bar(x=["a", "b"], y=[10, 1000], marker={"color": BLUE})], yaxis={"type": "log"}, **SMALL)
    filled = near(pixels(steep), BLUE).sum(axis=0)
    assert 0 < filled[: len(filled) // 2].max() < filled[len(filled) // 2 :].max()
    heat = go.Heatmap(z=[[0, 1], [1, 0]], x=["a", "b"], y=["c", "d"], colorscale=[[0, "#ffffff"], [1, VERMILION]])
    red = near(pixels(figure([heat], **SMALL)), VERMILION)
    height, width = red.shape
    assert red[: height // 2, : width // 2].mean() > 0.3 > 0.1 > red[: height // 2, width // 2 :].mean()
    box = go.Box(y=["a"], q1=[1], median=[2], q3=[3], lowerfence=[0], upperfence=[4], orientation="h")
    box.marker.color = BLUE
    assert near(pixels(figure([box], **SMALL)), BLUE).sum() > 500


def test_what_is_missing_keeps_its_place():
    image = pixels(figure([go.Bar(x=["a", "b"], y=[None, 2], marker={"color": BLUE})], **SMALL))
    filled = near(image, BLUE).sum(axis=0)
    assert filled[: len(filled) // 2].max() == 0 < filled[len(filled) // 2 :].max()
    assert pixels(figure([go.Heatmap(z=[[None]])], **SMALL)).min() < 100  # axes without a cell


def test_a_logarithmic_axis_is_one_and_a_reversed_one_runs_down():
    upward = go.Scatter(x=[1, 10, 100], y=[1, 10, 100], mode="markers", marker={"color": BLUE, "size": 12})
    drawn = figure([upward], xaxis={"type": "log"}, yaxis={"type": "log", "autorange": "reversed"}, **SMALL)
    y, x = np.nonzero(near(pixels(drawn), BLUE))
    first, second, third = (y[(x >= low) & (x < low + 200)].mean() for low in np.quantile(x, [0, 0.5, 1]) - 60)
    assert first < second < third
    assert second - first == pytest.approx(third - second, abs=6)


def test_the_same_figure_gives_the_same_bytes_whatever_is_set_elsewhere(lines):
    first = render(lines.to_plotly_json(), ("svg", "png"))
    with matplotlib.rc_context({"lines.linewidth": 9, "font.size": 30, "svg.hashsalt": "other", "axes.grid": True}):
        assert render(lines.to_plotly_json(), ("svg", "png")) == first
    assert b"<dc:date>" not in first["svg"]


def test_tokens_are_text_whatever_they_hold():
    names = [r"$\frac{1}{2", "$x$", "&lt;b&gt;bold&lt;/b&gt;", "\u4e2d\u6587", "\u202e\x00\n", "a_b^c", "<b>king</b>"]
    drawn = figure(
        [go.Scatter(x=list(range(len(names))), y=[0] * len(names), text=names, mode="text")],
        xaxis={"tickvals": [0, 1], "ticktext": names[:2]},
        **{**WORDS, "title": "What is $x$?"},
    )
    svg = render(drawn.to_plotly_json(), ("svg",))["svg"].decode()
    for said in (
        "$x$",
        r"$\frac{1}{2",
        "&lt;b&gt;bold",
        "&lt;U+4E2D&gt;&lt;U+6587&gt;",
        "a_b^c",
        "king",
        "What is $x$?",
    ):
        assert f"<!-- {said}" in svg
    assert "&lt;U+202E&gt;&lt;0x00&gt;↵" in svg
    assert "<b>" not in svg


def test_the_numbers_are_those_of_the_figure_and_no_cell_is_a_formula():
    points = go.Scatter(x=[1, 2], y=[0.1 + 0.2, None], text=["=1+1", "&lt;eos&gt;"], error_y={"array": [0.5, 0.25]})
    heat = go.Heatmap(z=[[1, None]], x=["a", "b"], y=[HOSTILE])
    rows = list(csv.DictReader(io.StringIO(_csv([points, heat]))))
    assert [row["y"] for row in rows[:2]] == ["0.30000000000000004", ""]
    assert [row["text"] for row in rows[:2]] == ["'=1+1", "<eos>"]
    assert [row["y_plus"] for row in rows[:2]] == ["0.5", "0.25"]
    assert [(row["trace"], row["x"], row["z"]) for row in rows[2:]] == [("1", "a", "1"), ("1", "b", "")]


def test_places_that_bear_names_have_them_in_the_numbers():
    from rowspace.figures.still_data import to_csv

    drawn = go.Figure([go.Scatter(x=[1, 10], y=[0, 1]), go.Scatter(x=[1, 5], y=[0, 2], yaxis="y2")])
    drawn.update_layout(
        yaxis={"tickvals": [0, 1], "ticktext": ["word", "bpe"]}, xaxis={"tickvals": [1], "ticktext": ["1"]}
    )
    rows = list(csv.DictReader(io.StringIO(to_csv(drawn.to_plotly_json()).decode())))
    assert [row["y_label"] for row in rows] == ["word", "bpe", "", ""]
    assert "x_label" not in rows[0]


def _csv(traces: list[Any]) -> str:
    from rowspace.figures.still_data import to_csv

    return to_csv(figure(traces, **WORDS).to_plotly_json()).decode()


def test_files_lie_together_or_not_at_all(lines, tmp_path):
    files = write_stills(tmp_path / "figures", "loss", lines)
    assert [path.name for path in files] == ["loss.svg", "loss.png", "loss.csv"]
    assert b"How to read it." in files[0].read_bytes()
    assert Image.open(files[1]).text["Title"] == "Does it?"
    with pytest.raises(ValueError, match="cannot name a still"):
        write_stills(tmp_path, "../loss", lines)


def test_a_trace_that_has_no_drawing_is_named():
    with pytest.raises(ValueError, match="not violin") as refused:
        write_stills(Path("nowhere"), "x", go.Figure(go.Violin(y=[1, 2])))
    assert all(kind in str(refused.value) for kind in KINDS)


def test_without_matplotlib_one_sentence_names_the_extra(lines, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match=r"need matplotlib.*pip install 'rowspace\[ladder\]'"):
        write_stills(tmp_path, "loss", lines)
    assert not list(tmp_path.iterdir())


def test_matplotlib_is_imported_when_a_still_is_asked_for_and_nowhere_else():
    package = Path(rowspace.figures.__file__).parents[1]
    for path in package.rglob("*.py"):
        if "matplotlib" not in (source := path.read_text(encoding="utf-8")):
            continue
        tree = ast.parse(source)
        inside = {id(node) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for node in ast.walk(f)}
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "matplotlib" for name in names):
                assert path.name.startswith("still")
                assert id(node) in inside
