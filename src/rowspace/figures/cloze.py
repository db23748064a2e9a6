"""Margins of likely over unlikely words, one line a prompt, beside what frequency alone gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREY, VERMILION, figure
from rowspace.figures.tokens import show_in_figure

MOST = 60
"""Prompts drawn; of more, the worst and the best."""


def draw_margins(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """One mark a prompt, the worst at the bottom; `rows` are those of one run in the table cloze."""
    known = sorted((row for row in rows if row["margin"] is not None), key=lambda row: row["margin"])
    drawn = known if len(known) <= MOST else [*known[: MOST // 2], *known[-MOST // 2 :]]
    y = list(range(len(drawn)))
    traces = []
    if all(row["unigram_margin"] is not None for row in drawn):
        look = {"color": GREY, "size": 8, "symbol": "line-ns-open"}
        x = [row["unigram_margin"] for row in drawn]
        traces.append(go.Scatter(x=x, y=y, mode="markers", name="frequency alone", marker=look, hoverinfo="skip"))
    for name, colour, symbol, kept in (
        ("likely first", BLUE, "circle", lambda margin: margin > 0),
        ("unlikely first, or tied", VERMILION, "x", lambda margin: margin <= 0),
    ):
        own = [(place, row) for place, row in enumerate(drawn) if kept(row["margin"])]
        traces.append(
            go.Scatter(
                x=[row["margin"] for _, row in own],
                y=[place for place, _ in own],
                mode="markers",
                name=name,
                marker={"color": colour, "size": 8, "symbol": symbol},
                customdata=[_hover(row) for _, row in own],
                hovertemplate="%{customdata}: %{x:+.2f} nats<extra></extra>",
            )
        )
    return figure(
        traces,
        title="Which prompts make it expect the likely words?",
        x="margin: mean ln p of likely less that of unlikely words, nats",
        y="",
        caption="Right of zero: the likely words are more probable. The grey stroke is what token frequencies alone "
        "would give. What counts is how far marks lie right of zero in both of two prompts that swap their words.",
        alt="Margin of likely over unlikely words for each prompt, sorted, beside that of token frequencies.",
        height=max(320, 130 + 17 * len(drawn)),
        shapes=[{"type": "line", "x0": 0, "x1": 0, "y0": 0, "y1": 1, "yref": "paper", "line": {"color": GREY}}],
        yaxis={"tickvals": y, "ticktext": [_short(row["prompt"]) for row in drawn], "showgrid": False},
    )


def _short(text: str) -> str:
    cut = text if len(text) <= 34 else f"…{text[-33:]}"
    return " ".join(show_in_figure(word) for word in cut.split())


def _hover(row: Mapping[str, Any]) -> str:
    likely, unlikely = (", ".join(map(show_in_figure, row[side][:4])) for side in ("likely", "unlikely"))
    return f"{_short(row['prompt'])}: {likely} | {unlikely}"
