"""Curves of several arms in one figure: seed bands, what is best, the rest in grey, and nulls behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import CYCLE, GREY, GREY_BAND, SYMBOLS, figure, legend_names, of_runs

MOST = len(CYCLE)
"""Curves that have a colour of their own; others are grey."""
NAME = 40
"""Characters of an arm in a legend: its levels one after another."""
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True)
class Curve:
    """A line with a band from `low` to `high`, where there is one; None breaks the line."""

    label: str
    x: Sequence[float | None]
    y: Sequence[float | None]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    colour: str | None = None
    runs: Sequence[Sequence[int]] = ()
    """The runs behind each of the lines that None parts, by their places among the ranked ones."""


@dataclass(frozen=True)
class Star:
    """A point that is best at something; `text` says at what."""

    x: float
    y: float
    text: str


def draw_curves(
    curves: Sequence[Curve],
    *,
    title: str,
    x: str,
    y: str,
    caption: str,
    grey: Sequence[Curve] = (),
    stars: Sequence[Star] = (),
    nulls: Sequence[Curve] = (),
    cut: float = 0.0,
    log: bool = False,
    ticks: Sequence[float] = (),
    markers: bool = False,
    thin: bool = False,
) -> go.Figure:
    """`curves` in colour, `grey` behind them as one trace, `stars` on top. The frame
    is fitted to what comes after the share `cut` of the x axis. `log` and `ticks` are of the x axis; `thin` lines let
    many runs of one colour be seen."""
    names = legend_names([curve.label for curve in curves], NAME)
    traces: list[Any] = [*_nulls(nulls), *([_grey(grey)] if grey else [])]
    for place, curve in enumerate(curves):
        traces += _curve(curve, place, names[curve.label], markers=markers, thin=thin)
    if stars:
        traces.append(_stars(stars))
    drawn = [*curves, *grey]
    scale: dict[str, Any] = {"type": "log"} if log else {"exponentformat": "SI", "rangemode": "tozero"}
    if ticks:
        scale |= {"tickvals": list(ticks), "ticktext": [say_short(tick) for tick in ticks]}
    return figure(
        traces,
        title=escape(title),
        x=x,
        y=y,
        caption=caption,
        alt=f"{escape(title)} {escape(y)} against {escape(x)} for {len(drawn)} curves.",
        xaxis=scale,
        yaxis={"range": find_range([*curves, *nulls], grey, cut)},
    )


def say_short(value: float) -> str:
    """A number as an axis says it: 12.3k, 0.004."""
    for size, letter in ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def find_range(curves: Sequence[Curve], grey: Sequence[Curve] = (), cut: float = 0.0) -> list[float]:
    """From the lowest to the highest value with a margin, as far up as the middle of the grey ones. Bands do not count:
    that of two seeds may be of any width."""
    start = cut * max((at for curve in (*curves, *grey) for at in curve.x if at is not None), default=0.0)
    values, others = _values(curves, start), sorted(_values(grey, start))
    values += others[: len(others) // 2 + 1]
    low, high = min(values, default=0.0), max(values, default=1.0)
    pad = 0.07 * (high - low) or max(0.05 * abs(high), 0.01)
    return [low - pad, high + pad]


def _values(curves: Sequence[Curve], start: float) -> list[float]:
    points = [(at, value) for curve in curves for at, value in zip(curve.x, curve.y, strict=True)]
    return [value for at, value in points if value is not None and at is not None and at >= start]


def _curve(curve: Curve, place: int, name: str, *, markers: bool, thin: bool) -> list[dict[str, Any]]:
    """Plain dictionaries: Plotly would check each of thousands of points."""
    colour = curve.colour or CYCLE[place % len(CYCLE)]
    quiet: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines",
        "x": list(curve.x),
        "hoverinfo": "skip",
        "showlegend": False,
        "legendgroup": str(place),
        "line": {"width": 0, "color": colour},
        "meta": of_runs(curve.runs),
    }
    line: dict[str, Any] = {
        **quiet,
        "y": list(curve.y),
        "name": name,
        "showlegend": True,
        "mode": "lines+markers" if markers else "lines",
        "line": {"color": colour, "width": 1 if thin else 2, "dash": DASHES[place // len(CYCLE) % len(DASHES)]},
        "marker": {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 6, "color": colour},
        "opacity": 0.55 if thin else 1.0,
        "hoverinfo": None,
        "hovertemplate": f"{name}<br>%{{x:.4~s}}: %{{y:.4f}}<extra></extra>",
    }
    del line["hoverinfo"]
    if not curve.low:
        return [line]
    band = {"fill": "tonexty", "fillcolor": _faint(colour)}
    return [{**quiet, "y": list(curve.low)}, {**quiet, "y": list(curve.high), **band}, line]


def _grey(curves: Sequence[Curve]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [value for curve in curves for value in (*curve.x, None)],
        "y": [value for curve in curves for value in (*curve.y, None)],
        "name": f"{len(curves):,} others",
        "hoverinfo": "skip",
        "line": {"color": GREY, "width": 1},
        "opacity": 0.45,
        "meta": of_runs(group for curve in curves for group in curve.runs),
    }


def _nulls(nulls: Sequence[Curve]) -> list[dict[str, Any]]:
    """Where tables that know nothing lie: one band around all of them."""
    traces: list[dict[str, Any]] = []
    for place, null in enumerate(nulls):
        quiet: dict[str, Any] = {"type": "scatter", "mode": "lines", "x": list(null.x), "hoverinfo": "skip"}
        traces += [
            {**quiet, "y": list(null.low), "line": {"width": 0}, "showlegend": False},
            {
                **quiet,
                "y": list(null.high),
                "line": {"width": 0},
                "fill": "tonexty",
                "fillcolor": GREY_BAND,
                "showlegend": False,
            },
            {**quiet, "y": list(null.y), "name": null.label, "showlegend": place == 0}
            | {"line": {"color": GREY, "dash": "dot", "width": 1.5}},
        ]
    return traces


def _stars(stars: Sequence[Star]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [star.x for star in stars],
        "y": [star.y for star in stars],
        "text": [escape(star.text) for star in stars],
        "hovertemplate": "%{text}<br>%{y:.4f}<extra></extra>",
        "name": "best",
        "marker": {"symbol": "star-open", "size": 14, "color": "#000000", "line": {"width": 1.5}},
    }


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.13)"
