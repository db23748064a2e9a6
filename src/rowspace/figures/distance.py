"""Gradient norm of a state against the distance of the input, on a logarithmic axis; the untrained body in grey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import GREY, colours_of, figure, legend_names, line

DASHES = ("dot", "dash", "dashdot", "longdash", "longdashdot", "5px,2px")


def draw_distances(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """One curve and its null a label; `rows` are those of the table distance. Zero has no place on the axis."""
    traces: list[go.Scatter] = []
    names = list(dict.fromkeys(row["label"] for row in rows))
    shown = legend_names(names)
    colours = colours_of([next(row for row in rows if row["label"] == label) for label in names])
    for place, (label, colour) in enumerate(zip(names, colours, strict=True)):
        own = [row for row in rows if row["label"] == label and row["weights"] == "trained" and row["norm"] > 0]
        null = [row for row in rows if row["label"] == label and row["weights"] == "start" and row["norm"] > 0]
        look = {"color": GREY, "dash": DASHES[place % len(DASHES)], "width": 1.5}
        traces += [
            _curve(null, f"{shown[label]} before training", f"{label} before training", GREY).update(
                line=look, showlegend=len(names) == 1
            ),
            *_middle_half(own, colour),
            _curve(own, shown[label], label, colour),
        ]
    if len(names) > 1:
        look = {"color": GREY, "dash": "dot", "width": 1.5}
        traces.append(go.Scatter(x=[None], y=[None], mode="lines", name="each before training", line=look))
    return figure(
        traces,
        title="How far back does a state look?",
        x="tokens back",
        y="gradient norm",
        caption="How much a state moves when the input so many tokens before it does. Grey: the same body before its "
        "first step. A curve that falls faster than its grey one looks back less than it could; this is influence, "
        "not use.",
        alt=f"Gradient norm of a state against the distance of the input for {', '.join(names)}.",
        yaxis={"type": "log", "exponentformat": "power"},
    )


def _curve(rows: Sequence[Mapping[str, Any]], name: str, full: str, colour: str) -> go.Scatter:
    """Norm over distance; the whole label on hover."""
    curve = line([row["distance"] for row in rows], [row["norm"] for row in rows], name=name, colour=colour)
    return curve.update(hovertemplate=f"%{{x}} back: %{{y:.2g}}<extra>{escape(full)}</extra>")


def _middle_half(rows: Sequence[Mapping[str, Any]], colour: str) -> list[go.Scatter]:
    """The band between the quartiles, where the lower one is above zero."""
    kept = [row for row in rows if row["norm_low"] > 0]
    x = [row["distance"] for row in kept]
    quiet: dict[str, Any] = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "line": {"width": 0}}
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    fill = f"rgba({red},{green},{blue},0.15)"
    return [
        go.Scatter(x=x, y=[row["norm_low"] for row in kept], **quiet),
        go.Scatter(x=x, y=[row["norm_high"] for row in kept], fill="tonexty", fillcolor=fill, **quiet),
    ]
