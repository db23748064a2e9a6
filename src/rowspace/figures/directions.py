"""The spectrum of one table beside those of random tables: of the same norms, and of the same means by frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREY, TABLE_COLOURS, figure, line

MOST_POINTS = 400
"""Directions drawn at most: all of the strongest, then evenly on the logarithmic axis."""


def draw_directions(rows: Sequence[Mapping[str, Any]], *, table: str) -> go.Figure:
    """`rows` hold index (1 the strongest), sigma, null_sigma and frequency_sigma (None where nobody counted)."""
    kept = [rows[place] for place in _thinned(len(rows))]
    index = [row["index"] for row in kept]
    traces = [_curve(index, kept, "null_sigma", "random table", {"color": GREY, "dash": "dot", "width": 1.5})]
    if any(row["frequency_sigma"] is not None for row in kept):
        look = {"color": GREY, "dash": "dash", "width": 1.5}
        traces.append(_curve(index, kept, "frequency_sigma", "frequency alone", look))
    colour = TABLE_COLOURS.get(table, BLUE)
    traces.append(_curve(index, kept, "sigma", escape(table), {"color": colour, "width": 2}))
    return figure(
        traces,
        title="Which directions are stronger than chance would make them?",
        x="direction, strongest first",
        y="singular value",
        caption="Both axes are logarithmic. Dots: a random table of the same row norms. Dashes: one whose rows also "
        "have the mean of their tenth by frequency. Where the table lies above both, something else than frequency "
        "makes rows share a direction.",
        alt=f"Singular values of {escape(table)} by rank on logarithmic axes, with those of random tables in grey.",
        xaxis={"type": "log"},
        yaxis={"type": "log", "exponentformat": "power"},
    )


def _curve(
    x: Sequence[int], rows: Sequence[Mapping[str, Any]], key: str, name: str, look: dict[str, Any]
) -> go.Scatter:
    y = [row[key] if row[key] else None for row in rows]
    return line(x, y, name=name, colour=str(look["color"])).update(line=look)


def _thinned(n: int) -> list[int]:
    """Places 0..n-1, MOST_POINTS of them at most, close together where a logarithmic axis is wide."""
    if n <= MOST_POINTS:
        return list(range(n))
    step = n ** (1 / (MOST_POINTS - 1))
    return sorted({min(n - 1, round(step**place) - 1) for place in range(MOST_POINTS)})
