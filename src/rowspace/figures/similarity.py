"""Cosine against what people rated: a point a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREEN, ORANGE, figure
from rowspace.figures.tokens import show_in_figure

LOOKS = ((BLUE, "circle"), (ORANGE, "diamond"), (GREEN, "square"))


def draw_ratings(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """`rows` are those of the table similarity, one colour and shape a set."""
    names = list(dict.fromkeys(row["set"] for row in rows))
    traces = []
    for place, name in enumerate(names):
        own = [row for row in rows if row["set"] == name]
        colour, symbol = LOOKS[place % len(LOOKS)]
        traces.append(
            go.Scatter(
                x=[row["rating"] for row in own],
                y=[row["cosine"] for row in own],
                text=[f"{show_in_figure(row['one'])} – {show_in_figure(row['other'])}" for row in own],
                mode="markers",
                name=show_in_figure(name),
                marker={"color": colour, "symbol": symbol, "size": 6, "opacity": 0.6},
                hovertemplate="%{text}<br>people %{x:.2f}, cosine %{y:.2f}<extra></extra>",
            )
        )
    return figure(
        traces,
        title="Do cosines rise with what people find alike?",
        x="rating of people",
        y="cosine",
        caption="A point is a pair whose words both have a row. Only the order counts: the height of the cloud says "
        "nothing.",
        alt=f"Cosine against ratings of people for {len(rows)} pairs.",
    )
