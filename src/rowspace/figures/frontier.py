"""Closure or short sequences: a line of points for each kind of tokenizer, one a size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREY, VERMILION, figure

Row = Mapping[str, Any]
LOOKS = {True: ("closed: every text comes back", BLUE, "circle"), False: ("open: some text is lost", VERMILION, "x")}

TOGETHER = 1.0
"""Tokens for 100 bytes within which points share a label."""


def draw_frontier(rows: Sequence[Row]) -> go.Figure:
    """`rows` are those of `tokenization.frontier.find_frontier`; a size without numbers is left out."""
    known = [row for row in rows if row["tokens_per_100_bytes"] is not None]
    kinds = sorted({row["tokenizer"] for row in known}, key=lambda kind: _shortest(known, kind))
    places = {kind: place for place, kind in enumerate(kinds)}
    traces = [_range(known, kind, places) for kind in kinds if sum(row["tokenizer"] == kind for row in known) > 1]
    traces += [_points(own, places, *LOOKS[closed]) for closed in LOOKS if (own := _those(known, closed=closed))]
    return figure(
        traces,
        title="Which tokenizers keep every text, and how long does it get?",
        x="tokens for 100 bytes of held-out text (a byte each: 100)",
        y="tokenizer (V above)",
        caption="A point is a tokenizer at one V, written above it; the further left, the shorter the sequence, and "
        "attention costs the square of its length. Closed ones give back every text that was tried, from every script; "
        "an open one that is short is short because it drops what it has no token for. Lengths are of this text: other "
        "languages get longer." + _lost(known),
        alt=f"Tokens for 100 bytes of {len(kinds)} kinds of tokenizer at several V, closed ones marked.",
        showlegend=True,
        height=150 + 52 * max(len(kinds), 2),
        xaxis={"rangemode": "tozero"},
        yaxis={
            "tickvals": list(places.values()),
            "ticktext": kinds,
            "range": [len(kinds) - 0.4, -0.65],
            "showgrid": False,
        },
        shapes=[
            {"type": "line", "x0": 100, "x1": 100, "yref": "paper", "y0": 0, "y1": 1}
            | {"line": {"color": GREY, "dash": "dot", "width": 1.5}}
        ],
    )


def _shortest(rows: Sequence[Row], kind: str) -> float:
    return min(row["tokens_per_100_bytes"] for row in rows if row["tokenizer"] == kind)


def _those(rows: Sequence[Row], *, closed: bool) -> list[Row]:
    return [row for row in rows if row["closed"] is closed]


def _range(rows: Sequence[Row], kind: str, places: Mapping[str, int]) -> go.Scatter:
    """From the shortest to the longest of a kind."""
    lengths = [row["tokens_per_100_bytes"] for row in rows if row["tokenizer"] == kind]
    return go.Scatter(
        x=[min(lengths), max(lengths)],
        y=[places[kind]] * 2,
        mode="lines",
        line={"color": GREY, "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )


def _points(rows: Sequence[Row], places: Mapping[str, int], name: str, colour: str, symbol: str) -> go.Scatter:
    sizes = [[other["vocab_size"] for other in rows if _lie_together(row, other)] for row in rows]
    return go.Scatter(
        x=[row["tokens_per_100_bytes"] for row in rows],
        y=[places[row["tokenizer"]] for row in rows],
        text=[_span(own) if row["vocab_size"] == max(own) else "" for row, own in zip(rows, sizes, strict=True)],
        textposition="top center",
        textfont={"size": 10},
        customdata=[_said(row) for row in rows],
        hovertemplate="%{customdata}<extra></extra>",
        mode="markers+text",
        name=name,
        marker={"color": colour, "symbol": symbol, "size": 10},
    )


def _lie_together(row: Row, other: Row) -> bool:
    """Their labels would be written over each other."""
    apart = abs(row["tokens_per_100_bytes"] - other["tokens_per_100_bytes"])
    return row["tokenizer"] == other["tokenizer"] and apart < TOGETHER


def _span(sizes: Sequence[int]) -> str:
    return _short(max(sizes)) if len(sizes) == 1 else f"{_short(min(sizes))} to {_short(max(sizes))}"


def _short(size: int) -> str:
    """`8k` of 8,192."""
    return f"{size // 1024}k" if size % 1024 == 0 else f"{size:,}"


def _said(row: Row) -> str:
    return (
        f"{row['tokenizer']}, V={row['vocab_size']:,}: {row['tokens_per_100_bytes']:.1f} tokens for 100 bytes<br>"
        f"attention {row['attention']:.3f} of that over bytes<br>{row['returned']:.1%} of held-out documents come "
        f"back, {row['failed']:.1%} of hostile texts do not"
    )


def _lost(rows: Sequence[Row]) -> str:
    """What open tokenizers do to the held-out text itself."""
    said = [
        f" At V={row['vocab_size']:,} {row['tokenizer']} gives back {row['returned']:.1%} of the held-out documents"
        for row in rows
        if row["closed"] is False and row["vocab_size"] == max(r["vocab_size"] for r in _of(rows, row["tokenizer"]))
    ]
    return ";".join(said) + "." if said else ""


def _of(rows: Sequence[Row], kind: str) -> list[Row]:
    return [row for row in rows if row["tokenizer"] == kind]
