"""How far the states of each layer have moved from the rows of E: neighbours kept, and cosine to the own row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREY, ORANGE, figure, line


def draw_contextual(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """Both by layer, each with its chance in grey; `rows` are those of one run in the table contextual."""
    x = [row["layer"] for row in rows]
    traces: list[go.Scatter] = []
    for key, null, name, said, colour, dash, symbol in (
        ("overlap", "overlap_chance", "neighbours kept", "chance", BLUE, "dot", "circle"),
        ("own_row", "other_row", "cosine to the own row", "cosine to other rows", ORANGE, "dash", "square"),
    ):
        if all(row[key] is None for row in rows):
            continue
        curve = line(x, [row[key] for row in rows], name=name, colour=colour, markers=True)
        look = {"color": GREY, "dash": dash, "width": 1.5}
        traces += [
            go.Scatter(x=x, y=[row[null] for row in rows], mode="lines", name=said, line=look),
            curve.update(marker={"color": colour, "size": 8, "symbol": symbol}),
        ]
    return figure(
        traces,
        title="How far do states move from the rows of E?",
        x="layer (0: the rows as they enter, last: what the head reads)",
        y="share, or cosine",
        caption="Blue: of a row's nearest tokens, how many are the nearest of the token's state too, alone behind "
        "<eos>. Orange: cosine of states in real prompts to the row that each began as. At layer 0 both are 1 unless "
        "a position is added. Moving is what layers are for: low is not bad.".replace("<eos>", "&lt;eos&gt;"),
        alt="Share of neighbours kept and cosine of states to their own rows, by layer.",
        xaxis={"dtick": 1},
        yaxis={"range": [min(0, *(row["own_row"] or 0 for row in rows)) - 0.02, 1.02]},
    )
