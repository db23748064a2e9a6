"""The map of a table: every token on the plane of largest variance, coloured by how often it was seen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, BY_FREQUENCY, GREY, MONO, figure
from rowspace.figures.tokens import show_in_figure

MOST_POINTS = 20_000


def draw_map(
    rows: Sequence[Mapping[str, Any]], *, table: str, share: float | None = None, named: Sequence[int] = ()
) -> go.Figure:
    """`rows` are a table `map_E`; `share` the share of variance on the plane; `named` ids to write on the map."""
    shown = sample_rows(rows, named)
    plane = "Two of d directions are shown:" if share is None else f"The plane carries {share:.0%} of the variance, so"
    sampled = "" if len(shown) == len(rows) else f" {len(shown):,} of {len(rows):,} tokens are drawn."
    return figure(
        [_points(shown), _labels(shown, named)],
        title=f"What lies near what in {table}?",
        x=f"first principal direction of {table}",
        y="second",
        caption=f"A point is a token, its colour how often it was seen. {plane} points that are close here need not be "
        f"close in the table; the nearest five that it names really are.{sampled}",
        alt=f"Scatter plot of the rows of {table} on two principal directions, coloured by frequency.",
        showlegend=False,
        xaxis={"showticklabels": False},
        yaxis={"showticklabels": False},
        dragmode="pan",
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": GREY, "activecolor": BLUE},
        margin={"l": 30, "r": 8, "t": 44, "b": 30},
    )


def _points(shown: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The tokens. A plain dictionary: Plotly would check and copy an object of this size twice."""
    seen = [round(math.log10((row["count"] or 0) + 1), 3) for row in shown]
    ordered = sorted(seen) or [0.0]  # a few very rare and very common tokens must not use up the colours
    return {
        "type": "scatter",
        "x": [row["x"] for row in shown],
        "y": [row["y"] for row in shown],
        "ids": [str(row["token_id"]) for row in shown],
        "text": [show_in_figure(row["token"]) for row in shown],
        "customdata": [_facts(row) for row in shown],
        "hovertext": [_hover(row) for row in shown],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "mode": "markers",
        "name": "tokens",
        "marker": {
            "size": 4,
            "opacity": 0.7,
            "color": seen,
            "cmin": ordered[len(ordered) // 50],
            "cmax": ordered[-1 - len(ordered) // 50],
            "colorscale": BY_FREQUENCY,
            "showscale": any(row["count"] is not None for row in shown),
            "colorbar": _colourbar(shown),
        },
        "hoverlabel": {"font": {"family": MONO}},
    }


def _labels(shown: Sequence[Mapping[str, Any]], named: Sequence[int]) -> go.Scatter:
    """The names of some tokens, written where they are."""
    by_id = {row["token_id"]: row for row in shown}
    labelled = [by_id[id_] for id_ in dict.fromkeys(named) if id_ in by_id]
    return go.Scatter(
        x=[row["x"] for row in labelled],
        y=[row["y"] for row in labelled],
        ids=[str(row["token_id"]) for row in labelled],
        text=[f"<b>{show_in_figure(row['token'].strip())}</b>" for row in labelled],
        mode="text",
        name="words looked up",
        hoverinfo="skip",
        textfont={"size": 13},
    )


def sample_rows(rows: Sequence[Mapping[str, Any]], named: Sequence[int]) -> list[Mapping[str, Any]]:
    """At most MOST_POINTS rows: those named, the commonest, and an even sample of the rest."""
    if len(rows) <= MOST_POINTS:
        return list(rows)
    wanted = set(named)
    order = sorted(range(len(rows)), key=lambda i: (rows[i]["token_id"] not in wanted, -(rows[i]["count"] or 0)))
    half = MOST_POINTS // 2
    rest = order[half:]
    even = [rest[round(i * (len(rest) - 1) / (half - 1))] for i in range(half)]
    return [rows[i] for i in sorted({*order[:half], *even})]


def _hover(row: Mapping[str, Any]) -> str:
    nearest = "  ".join(show_in_figure(token) for token in row["nearest"])
    return f"<b>{show_in_figure(row['token'])}</b><br>{_seen(row['count'])}<br>nearest: {nearest or 'nothing'}"


def _facts(row: Mapping[str, Any]) -> str:
    """For the page's search: "seen 12 times|3 17 4", the ids of the nearest behind the bar. Flat strings, since
    Plotly takes 30 times as long to check nested lists."""
    return f"{_seen(row['count'])}|{' '.join(map(str, row['nearest_ids']))}"


def _seen(count: int | None) -> str:
    return "nobody counted it" if count is None else f"seen {count:,} times"


def _colourbar(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    largest = max((row["count"] or 0 for row in rows), default=0)
    powers = list(range(len(str(largest))))
    return {
        "title": {"text": "seen", "side": "top"},
        "tickvals": [round(math.log10(10**power + 1), 3) for power in powers],
        "ticktext": [f"{10**power:,}" for power in powers],
        "thickness": 10,
        "len": 0.6,
    }
