"""How often a row maps to its own token, by frequency, beside chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREY, figure, line
from rowspace.table import Missing


def draw_by_decile(rows: Sequence[Mapping[str, Any]], chance: float | Missing) -> go.Figure:
    """`rows` are those of the table head_deciles that have a rate."""
    x = [row["decile"] for row in rows]
    traces = [line(x, [row["rate"] for row in rows], name="own token", colour=BLUE, markers=True)]
    if not isinstance(chance, Missing):
        dotted = {"color": GREY, "dash": "dot", "width": 1.5}
        traces.append(line(x, [chance] * len(x), name="chance, over all", colour=GREY, line=dotted))
    return figure(
        traces,
        title="Which rows does the head give back?",
        x="tenth of the vocabulary by frequency, 1 rarest",
        y="rows answered with their own token",
        caption="A row is given back where its own row of U answers it most. Long rows of U answer for others.",
        alt="Share of rows of E that the head answers with their own token, by tenth of the vocabulary.",
        yaxis={"tickformat": ".0%", "range": [0, 1.02]},
        xaxis={"dtick": 1},
    )
