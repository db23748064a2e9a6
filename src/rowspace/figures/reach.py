"""Where the gradient stops: a bar for every array between text and loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import log10
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREEN, GREY, VERMILION, figure

Row = Mapping[str, Any]
KINDS = {"STATE": ("state: made anew for each text", BLUE), "LEARNED": ("learned: the optimizer moves it", GREEN)}


def draw_reach(rows: Sequence[Row]) -> go.Figure:
    """`rows` are those of `model.reach.find_reach`, from text (drawn at the bottom) to the loss."""
    low, high = _ends(rows)
    traces: list[Any] = [_bars(rows, kind, name, colour, low) for kind, (name, colour) in KINDS.items()]
    traces.append(_stopped(rows, low))
    edge = _edge(rows)
    return figure(
        traces,
        title="Where does the gradient of the loss stop?",
        x="length of the gradient (loss: 1)",
        y="",
        caption="Read from the top: the loss's gradient goes back through scores and states to the rows that were "
        "looked up and into the table. It ends below the rows, at the dashed line: ids are whole numbers, and the "
        "tokenizer that made them was chosen before training and learns nothing from it. Lengths in arrays of "
        "different size are not to be compared as importance.",
        alt=f"Length of the gradient in {', '.join(row['array'] for row in rows)}; none in "
        f"{', '.join(row['array'] for row in rows if row['gradient'] is None)}.",
        barmode="overlay",
        height=130 + 34 * max(len(rows), 3),
        showlegend=True,
        xaxis={"type": "log", "range": _logs(low, high), "exponentformat": "power", "dtick": 1},
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": [
                f"{escape(row['array'])}<br><span style='font-size:10px'>{escape(row['shape'])}</span>" for row in rows
            ],
            "range": [-0.6, len(rows) - 0.4],
            "showgrid": False,
        },
        shapes=[
            {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": edge, "y1": edge}
            | {"line": {"color": GREY, "dash": "dash", "width": 1.5}}
        ],
    )


def _stopped(rows: Sequence[Row], low: float) -> go.Scatter:
    """A mark and the reason where no gradient arrives."""
    places = [place for place, row in enumerate(rows) if row["gradient"] is None]
    return go.Scatter(
        x=[low * 1.25] * len(places),
        y=places,
        text=[f"  {escape(rows[place]['why'])}" for place in places],
        textposition="middle right",
        textfont={"size": 11},
        mode="markers+text",
        name="no gradient",
        hoverinfo="skip",
        marker={"color": VERMILION, "symbol": "x", "size": 10},
    )


def _bars(rows: Sequence[Row], kind: str, name: str, colour: str, low: float) -> go.Bar:
    """From the left end of the axis, which has no zero, to the length."""
    own = [(place, row) for place, row in enumerate(rows) if row["kind"] == kind and row["gradient"] is not None]
    lengths = [max(row["gradient"], low) for _, row in own]
    return go.Bar(
        x=[length - low for length in lengths],
        base=[low] * len(own),
        y=[place for place, _ in own],
        orientation="h",
        width=0.62,
        text=[f"{row['gradient']:.2g}" for _, row in own],
        textposition="outside",
        name=name,
        marker={"color": colour},
        customdata=[f"{row['array']} {row['shape']}, {row['type']}: {row['gradient']:.3g}" for _, row in own],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _ends(rows: Sequence[Row]) -> tuple[float, float]:
    """Powers of ten about the lengths."""
    known = [row["gradient"] for row in rows if row["gradient"]]
    low, high = 1.0, 1.0
    while known and low > min(known):
        low /= 10
    while known and high < max(known):
        high *= 10
    return low / 10, high * 3


def _logs(low: float, high: float) -> list[float]:
    return [log10(low), log10(high)]


def _edge(rows: Sequence[Row]) -> float:
    """Above the last of the arrays at the text's end that have no gradient."""
    first = next((place for place, row in enumerate(rows) if row["gradient"] is not None), len(rows))
    return first - 0.5
