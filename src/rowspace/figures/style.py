"""The look that all figures share: Okabe-Ito colours, grey for nulls and chance, nothing painted behind.

A figure is a Plotly figure of plain lists (Plotly 7 writes arrays as base64, which W&B may not draw). Its title says
the question; `layout.meta` holds a caption (how to read it, what to conclude, what not) and what a screen reader says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE = "#56B4E9", "#CC79A7"
GREY = "#8a8a8a"
GREY_BAND = "rgba(138,138,138,0.28)"
GREY_RULE = "rgba(128,128,128,0.22)"
"""Of the grid."""
TABLE_COLOURS = {"E": BLUE, "U": VERMILION}
"""The same table has the same colour on every page."""
BY_FREQUENCY = [[0.0, BLUE], [0.35, GREEN], [0.7, ORANGE], [1.0, VERMILION]]
OPTION_COLOURS = {
    "rope": BLUE,
    "alibi": ORANGE,
    "none": GREEN,
    "sinusoidal": VERMILION,
    "learned": PURPLE,
    "t5_bias": SKY,
    "rope_pi": VERMILION,
    "rope_ntk": ORANGE,
    "rope_yarn": GREEN,
    "rope_dynamic_ntk": PURPLE,
    "rope_llama3": SKY,
    "decoder": BLUE,
    "rnn": ORANGE,
    "lstm": VERMILION,
    "encoder": PURPLE,
    "encoder_decoder": SKY,
}
"""The same option has the same colour on every page; a scaling is drawn with plain rope alone."""
CYCLE = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, "#000000")
"""Where no option tells curves apart."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "cross")
TALLEST = 32
"""Characters of a line along the y axis."""
LONGEST = 28
"""Characters of a label in a legend."""
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace"


def figure(traces: Sequence[Any], *, title: str, x: str, y: str, caption: str, alt: str, **layout: Any) -> go.Figure:
    """A figure in the common look; `x` and `y` are axis titles with units."""
    axis = {"gridcolor": GREY_RULE, "zeroline": False, "automargin": True, "linecolor": GREY}
    settings: dict[str, Any] = {
        "template": go.layout.Template(),  # the default one would add 7 kB of settings to every figure
        "title": {"text": title, "x": 0, "xref": "paper", "font": {"size": 15}},
        "meta": {"caption": caption, "alt": alt},
        "font": {"family": FONT, "size": 12},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 54, "r": 16, "t": 44, "b": 46},
        "hovermode": "closest",
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        "xaxis": {**axis, "title": {"text": x, "font": {"size": 12}}},
        "yaxis": {**axis, "title": {"text": "<br>".join(wrap(y, TALLEST)), "font": {"size": 12}}},
    }
    for key, value in layout.items():
        settings[key] = {**settings[key], **value} if isinstance(settings.get(key), dict) else value
    return go.Figure(data=list(traces), layout=settings)


def colours_of(curves: Sequence[Mapping[str, Any]]) -> list[str]:
    """A colour for each curve, whose runs say their `scheme` (position) and `body`: that of the position scheme where
    it tells all of them apart, else that of the body, else one after another. So one run has one colour on a page."""
    for knob in ("scheme", "body"):
        named = [str(curve.get(knob)) for curve in curves]
        if len(set(named)) == len(named) and set(named) <= set(OPTION_COLOURS):
            return [OPTION_COLOURS[name] for name in named]
    return [CYCLE[place % len(CYCLE)] for place in range(len(curves))]


def legend_names(labels: Sequence[str], longest: int = LONGEST) -> dict[str, str]:
    """What stands for each label in a legend: long ones lose their middle, unless two would look alike; no markup."""
    ends = longest // 2
    short = {name: name if len(name) <= longest else f"{name[:ends]}…{name[-ends + 1 :]}" for name in labels}
    often = Counter(short.values())
    return {name: escape(cut if often[cut] == 1 else name) for name, cut in short.items()}


def of_runs(groups: Iterable[Sequence[int]]) -> dict[str, Any]:
    """The `meta` of a trace whose points (or lines, parted by None) stand for groups of runs, by number."""
    return {"runs": [list(group) for group in groups]}


def band(x: Sequence[float], middle: Sequence[float], half: Sequence[float], *, name: str) -> list[go.Scatter]:
    """A grey band of `middle` +- `half` with its middle as a dotted line."""
    low = [m - h for m, h in zip(middle, half, strict=True)]
    high = [m + h for m, h in zip(middle, half, strict=True)]
    quiet: dict[str, Any] = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "line": {"width": 0}}
    return [
        go.Scatter(x=list(x), y=low, **quiet),
        go.Scatter(x=list(x), y=high, fill="tonexty", fillcolor=GREY_BAND, **quiet),
        go.Scatter(
            x=list(x), y=list(middle), mode="lines", name=name, line={"color": GREY, "dash": "dot", "width": 1.5}
        ),
    ]


def line(
    x: Sequence[float], y: Sequence[float | None], *, name: str, colour: str, markers: bool = False, **more: Any
) -> go.Scatter:
    """A coloured curve."""
    mode = "lines+markers" if markers else "lines"
    settings = {"line": {"color": colour, "width": 2}, "marker": {"color": colour, "size": 6}} | more
    return go.Scatter(x=list(x), y=list(y), name=name, mode=mode, **settings)
