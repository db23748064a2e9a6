"""Percentile ranks of partners by relation: a point a pair, chance in the middle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREY, VERMILION, figure
from rowspace.figures.tokens import show_in_figure


def draw_pairs(rows: Sequence[Mapping[str, Any]], *, close: float) -> go.Figure:
    """A line of points a relation; `rows` are those of the table pairs that have a percentile. Marks differ by shape
    too: a circle for a success, a cross for the rest."""
    traces = []
    for success, name, colour, symbol in ((True, "success", BLUE, "circle"), (False, "other", VERMILION, "x")):
        own = [row for row in rows if (row["verdict"] == "success") == success]
        traces.append(
            go.Scatter(
                x=[row["percentile"] for row in own],
                y=[show_in_figure(row["relation"]) for row in own],
                text=[f"{show_in_figure(row['one'])} – {show_in_figure(row['other'])}" for row in own],
                customdata=[row["percentile_matched"] for row in own],
                mode="markers",
                name=name,
                marker={"color": colour, "symbol": symbol, "size": 8, "opacity": 0.75},
                hovertemplate="%{text}<br>percentile %{x:.1f}<br>among tokens as frequent %{customdata:.1f}"
                "<extra></extra>",
            )
        )
    marks = [
        {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": {"color": GREY, "dash": dash}}
        for x, dash in ((50, "dot"), (close, "dash"))
    ]
    relations = list(dict.fromkeys(row["relation"] for row in rows))
    return figure(
        traces,
        title="How near is the partner?",
        x="percentile of the partner among all tokens",
        y="",
        caption=f"A point is a pair, the mean of both directions. Dotted: 50, what a random table gives on average. "
        f"Dashed: {close:g}, from where a pair is called a success.",
        alt=f"Percentile ranks of {len(rows)} pairs of words, by relation: {', '.join(map(str, relations))}.",
        shapes=marks,
        xaxis={"range": [-2, 102]},
        height=150 + 30 * max(len(relations), 3),
    )
