"""Row norms against how often a token was seen: points for one table, curves of tenths for several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from statistics import fmean
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import CYCLE, GREY, SYMBOLS, figure, legend_names, line
from rowspace.figures.tokens import show_in_figure
from rowspace.table import Missing

Rows = Sequence[Mapping[str, Any]]


def draw_norms(tables: Mapping[str, Rows], spearman: Mapping[str, float | Missing] | None = None) -> go.Figure:
    """`tables` are rows of `geometry.frequency.find_norms_by_count` by their names, at most seven; `spearman` the rank
    correlation of count and norm of each."""
    names = legend_names(list(tables))
    traces: list[go.Scatter] = []
    for place, (name, rows) in enumerate(tables.items()):
        colour = CYCLE[place % len(CYCLE)]
        if len(tables) == 1:
            traces.append(_points(rows, colour))
        tenths = _tenths(rows)
        curve = line(*zip(*tenths, strict=True), name=names[name], colour=colour, markers=True) if tenths else None
        if curve is not None:
            traces.append(curve.update(marker={"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 8}))
    counts = [row["count"] for rows in tables.values() for row in rows]
    ends = [min(counts, default=1), max(counts, default=10)]
    grey = {"color": GREY, "dash": "dot", "width": 1.5}
    return figure(
        [go.Scatter(x=ends, y=[1, 1], mode="lines", name="mean norm of a table", line=grey), *traces],
        title="Are rows of frequent tokens longer?",
        x="times seen in training",
        y="norm of a row, over the mean of its table",
        caption="Curves are means of tenths of the vocabulary, rarest first, at the mean count of a tenth. On the grey "
        "line frequency says nothing about length. Counts grow with frequency by construction; a trained table shows "
        "how often its rows were pulled, and in which direction decay and the head pulled them."
        + _ranks(spearman or {}),
        alt=f"Norm against frequency for {', '.join(map(escape, tables))}.",
        xaxis={"type": "log"},
        yaxis={"type": "log"} if _spread(tables) > 10 else {"rangemode": "tozero"},
    )


def _points(rows: Rows, colour: str) -> go.Scatter:
    return go.Scatter(
        x=[row["count"] for row in rows],
        y=[row["relative"] for row in rows],
        text=[show_in_figure(row["token"]) for row in rows],
        hovertemplate="%{text}<br>seen %{x:,} times, %{y:.2f}<extra></extra>",
        mode="markers",
        name="tokens",
        marker={"color": colour, "size": 4, "opacity": 0.35},
    )


def _tenths(rows: Rows) -> list[tuple[float, float]]:
    """Geometric mean of the counts and mean of the norms of each tenth."""
    found = []
    for decile in sorted({row["decile"] for row in rows}):
        own = [row for row in rows if row["decile"] == decile]
        middle = sorted(row["count"] for row in own)[len(own) // 2]
        found.append((float(middle), fmean(row["relative"] for row in own)))
    return found


def _spread(tables: Mapping[str, Rows]) -> float:
    """How many times longer the longest mean of a tenth is than the shortest."""
    means = [mean for rows in tables.values() for _, mean in _tenths(rows) if mean > 0]
    return max(means) / min(means) if means else 1.0


def _ranks(spearman: Mapping[str, float | Missing]) -> str:
    known = [f"{escape(name)} {value:+.2f}" for name, value in spearman.items() if not isinstance(value, Missing)]
    return f" Rank correlation of count and norm (0: none): {', '.join(known)}." if known else ""
