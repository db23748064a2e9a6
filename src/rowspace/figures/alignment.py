"""How many neighbours two tables share, for rare and for frequent tokens, beside chance in grey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, figure, legend_names, line

COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY)


def draw_overlap(rows: Sequence[Mapping[str, Any]], *, k: int, chance: float) -> go.Figure:
    """One curve a pair of tables; `rows` hold pair, decile (1 rarest), overlap and tokens."""
    pairs = list(dict.fromkeys(row["pair"] for row in rows))[: len(COLOURS)]
    names = legend_names(pairs)
    grey = {"color": GREY, "dash": "dot", "width": 1.5}
    traces = [go.Scatter(x=[1, 10], y=[chance, chance], mode="lines", name="chance", line=grey)]
    for colour, pair in zip(COLOURS, pairs, strict=False):
        own = [row for row in rows if row["pair"] == pair]
        x, y = [row["decile"] for row in own], [row["overlap"] for row in own]
        curve = line(x, y, name=names[pair], colour=colour, markers=True)
        traces.append(
            curve.update(customdata=[row["tokens"] for row in own], hovertemplate="%{customdata} tokens: %{y:.1%}")
        )
    return figure(
        traces,
        title="For which tokens do the tables have the same neighbours?",
        x="tenth by frequency, rarest first",
        y=f"share of {k} neighbours in common",
        caption="1 = the same neighbours in both tables. Grey: neighbours drawn blindly. Rare rows were moved by few "
        "examples, so two tables often agree on frequent tokens only.",
        alt="Share of neighbours in common by frequency tenth, with chance in grey.",
        yaxis={"rangemode": "tozero", "tickformat": ".0%"},
        xaxis={"dtick": 1},
    )
