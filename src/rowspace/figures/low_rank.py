"""Spectra of matrices, and what the best approximation of each rank loses, beside matrices dealt at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import CYCLE, GREY, GREY_RULE, figure, line

Rows = Sequence[Mapping[str, Any]]
LEFT, RIGHT = (0.0, 0.44), (0.56, 1.0)
SIZE = {"font": {"size": 12}}
TICKS = [factor * 10**power for power in range(4) for factor in (1, 2, 5)]
DASHES = ("dot", "dash", "dashdot")


def draw_low_rank(matrices: Mapping[str, Rows], nulls: Mapping[str, Rows] | None = None) -> go.Figure:
    """`matrices` are rows of `geometry.low_rank.find_low_rank` by the names of their matrices, at most three; `nulls`
    those of the same matrices dealt at random, where they are known."""
    nulls = nulls or {}
    traces = [
        *(_curve(name, rows, key, place, null=True) for key in AXES for place, name, rows in _placed(matrices, nulls)),
        *(_curve(name, rows, key, place) for key in AXES for place, name, rows in _placed(matrices, matrices)),
    ]
    few = all(len(rows) < 3 for rows in matrices.values())
    scale: dict[str, Any] = {"rangemode": "tozero"} if few else {"type": "log", "tickvals": TICKS}
    grid = {"automargin": True, "zeroline": False, "gridcolor": GREY_RULE, "linecolor": GREY}
    return figure(
        traces,
        title="Do a few directions stand for the whole matrix?",
        x="direction, strongest first",
        y="singular value, share of the norm",
        caption=_caption(matrices, nulls),
        alt=f"Singular values of {', '.join(map(escape, matrices))}, and the error of the best approximation by rank.",
        xaxis={"domain": LEFT, **({"dtick": 1} if few else scale)},
        yaxis={"tickformat": ".2~%", **scale, **({} if few else {"tickvals": [tick / 1000 for tick in TICKS]})},
        xaxis2={
            **grid,
            "domain": RIGHT,
            "anchor": "y2",
            "title": {"text": "directions kept, k", **SIZE},
            "rangemode": "tozero",
        }
        | ({"dtick": 1} if few else {}),
        yaxis2={**grid, "anchor": "x2", "title": {"text": "error, share of the norm", **SIZE}, "tickformat": ".0%"}
        | {"range": [0, 1.03]},
        height=400,
    )


AXES = {"share": "", "error": "2"}
"""What is drawn, and on which axes."""


def _placed(matrices: Mapping[str, Rows], rows: Mapping[str, Rows]) -> list[tuple[int, str, Rows]]:
    return [(place, name, rows[name]) for place, name in enumerate(matrices) if rows.get(name)]


def _curve(name: str, rows: Rows, key: str, place: int, *, null: bool = False) -> go.Scatter:
    points = [{"k": 0, "error": 1.0}, *rows] if key == "error" else list(rows)
    said = f"{escape(name)}, dealt at random" if null else escape(name)
    colour = GREY if null else CYCLE[place % len(CYCLE)]
    values = [row[key] for row in points]
    curve = line([row["k"] for row in points], values, name=said, colour=colour, markers=len(rows) < 3 and not null)
    if null:
        curve.update(line={"color": GREY, "dash": DASHES[place % len(DASHES)], "width": 1.5})
    return curve.update(xaxis=f"x{AXES[key]}", yaxis=f"y{AXES[key]}", showlegend=key == "share", legendgroup=said)


def _caption(matrices: Mapping[str, Rows], nulls: Mapping[str, Rows]) -> str:
    said = (
        "Left: how much each direction carries. Right: what is lost where only the first k are kept; no other "
        "approximation of that rank loses less in squares."
    )
    for _, name, rows in _placed(matrices, matrices):
        k = min(len(rows), len(nulls.get(name) or rows))
        said += f" {escape(name)}: {k} directions lose {rows[k - 1]['error']:.1%}"
        said += f", dealt at random {nulls[name][k - 1]['error']:.1%}." if nulls.get(name) else "."
    if nulls:
        said += (
            " Dealt at random, tokens and documents stay as frequent and as long. On the grey line the directions say "
            "no more than that; what stands above it, documents share."
        )
    return said
