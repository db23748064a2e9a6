"""What positions do: scores by offset at two places, and which position rows are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import GREEN, GREY, OPTION_COLOURS, figure, line

ALIKE = [[0.0, "#D55E00"], [0.5, "#f2f2f2"], [1.0, "#0072B2"]]
"""Cosines from -1 to 1; none at all is the lightest."""


def draw_scores_by_offset(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """`rows` are those of `position.offsets.find_scores_by_offset`, of one scheme or of several."""
    schemes = list(dict.fromkeys(row["scheme"] for row in rows))
    end = max((row["offset"] for row in rows), default=1)
    grey = {"color": GREY, "dash": "dot", "width": 1.5}
    traces = [go.Scatter(x=[0, end], y=[1, 1], mode="lines", name="no positions", line=grey)]
    for scheme in schemes:
        traces += _of_scheme([row for row in rows if row["scheme"] == scheme], scheme)
    said = "; ".join(f"{scheme} {_short(measure_moved(rows, scheme))}" for scheme in schemes)
    return figure(
        traces,
        title="Does a score know the place, or only how far apart two tokens are?",
        x="offset: positions from the key on to the query",
        y="mean score of a token with itself",
        caption="A query and its key are moved along the text together: the line has the key near the start, the "
        "circles far from it, and the band is what that changes of one token's score, typically. Where the circles lie "
        f"on the line and there is no band, the offset alone counts. Changed by, at most: {said} (1: a token's score "
        "without positions). A curve that falls favours near tokens; learned queries and keys need not fall.",
        alt=f"Scores by offset with the key at two places, for {', '.join(schemes)}.",
    )


def measure_moved(rows: Sequence[Mapping[str, Any]], scheme: str) -> float:
    """The largest typical change of a score of the scheme when its pair is moved."""
    return max((row["moved"] for row in rows if row["scheme"] == scheme), default=0.0)


def _short(value: float) -> str:
    return f"{value:.2f}" if value >= 0.005 else "less than 0.01" if value > 1e-4 else "0 but for rounding"


def _of_scheme(rows: Sequence[Mapping[str, Any]], scheme: str) -> list[go.Scatter]:
    colour = OPTION_COLOURS.get(scheme, GREEN)
    keys = sorted({row["key"] for row in rows})
    near, far = ([row for row in rows if row["key"] == key] for key in (keys[0], keys[-1]))
    x = [row["offset"] for row in near]
    quiet: dict[str, Any] = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "line": {"width": 0}}
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    fill = f"rgba({red},{green},{blue},0.15)"
    look = {"mode": "markers", "marker": {"color": colour, "size": 7, "symbol": "circle-open"}}
    return [
        go.Scatter(x=x, y=[row["score"] - row["moved"] for row in near], **quiet),
        go.Scatter(x=x, y=[row["score"] + row["moved"] for row in near], fill="tonexty", fillcolor=fill, **quiet),
        line(x, [row["score"] for row in near], name=f"{scheme}, key at {near[0]['key']:,}", colour=colour),
        go.Scatter(x=x[::2], y=[row["score"] for row in far][::2], name=f"{scheme}, key at {far[0]['key']:,}", **look),
    ]


def draw_position_similarity(found: Mapping[str, Any]) -> go.Figure:
    """`found` is of `position.offsets.find_position_similarity`."""
    chance = found["d"] ** -0.5
    places = list(found["places"])
    heat = go.Heatmap(
        x=places,
        y=places,
        z=[[round(value, 4) for value in row] for row in found["cosines"]],
        zmin=-1,
        zmax=1,
        colorscale=ALIKE,
        colorbar={"title": {"text": "cosine"}, "tickvals": [-1, -0.5, 0, 0.5, 1]},
        hovertemplate="positions %{x} and %{y}: %{z:.2f}<extra></extra>",
    )
    kind = "learned" if found["learned"] else "fixed"
    striped = "fixed sinusoids depend on the distance alone, so that every stripe has one colour"
    shown = f"{len(places)} positions are drawn." if len(places) else ""
    learned = "before training they are random rows, alike at no distance"
    return figure(
        [heat],
        title="Which positions have rows that are alike?",
        x="position",
        y="position",
        caption=f"The {kind} rows of position={found['scheme']}. Positions that follow one another have a mean cosine "
        f"of {found['neighbours']:.2f}; random rows of this width lie within {2 * chance:.2f} of 0, the lightest "
        f"colour. A band along the diagonal means that neighbours look alike: "
        f"{learned if found['learned'] else striped}. {shown}",
        alt=f"Heat map of cosines between the position rows of {found['scheme']}.",
        height=470,
        xaxis={"showgrid": False},
        yaxis={"showgrid": False, "autorange": "reversed"},
    )
