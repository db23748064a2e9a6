"""An indicator of under-trained rows by training count, with the line below which rows are flagged."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREY, VERMILION, figure


def draw_by_count(values: np.ndarray, counts: np.ndarray, *, limit: float, label: str, min_count: int) -> go.Figure:
    """Boxes of `values` (n,) by training count (n,): quartiles, and the 5th and 95th percentile as whiskers.
    A row whose count is below 0 or not finite is in no box.
    """
    edges = sorted({0, 1, min_count, 20, 100, 1000})
    names, groups = [], []
    for low, high in zip(edges, [*edges[1:], None], strict=True):
        own = values[(counts >= low) & (counts < (np.inf if high is None else high))]
        if len(own):
            said = f"{low:,}+" if high is None else str(low) if high == low + 1 else f"{low:,}–{high - 1:,}"
            names.append(f"{said} ({len(own):,})")
            groups.append(np.quantile(own, [0.05, 0.25, 0.5, 0.75, 0.95]).tolist())
    low, first, middle, third, high = np.reshape(groups, (len(groups), 5)).T.tolist()
    quartiles = {"lowerfence": low, "q1": first, "median": middle, "q3": third, "upperfence": high}
    boxes = go.Box(y=names, orientation="h", **quartiles, name="rows", marker={"color": BLUE})
    half = float(np.median(values)) if len(values) else limit
    lines = [
        _upright(names, half, "middle of all rows", {"color": GREY, "dash": "dot"}),
        _upright(names, limit, "flagged at the left of it", {"color": VERMILION, "dash": "dash"}),
    ]
    return figure(
        [boxes, *lines],
        title="Do rows that training never saw look different?",
        x=label,
        y="times seen in training (rows)",
        caption="Boxes hold the middle half of the rows, whiskers 90 %. An indicator that knows nothing of training "
        "puts every box about the grey line. The further the box of 0 lies to the left of the others, the better it "
        "finds rows that nothing trained; what is left of the dashed line and was seen often is a false alarm.",
        alt=f"{label} by training count, with the line at the left of which rows are flagged.",
        yaxis={"autorange": "reversed", "automargin": True},
    )


def draw_values(values: np.ndarray, *, limit: float, label: str) -> go.Figure:
    """How many rows have each value, (n,), where nobody counted the tokens."""
    heights, edges = np.histogram(values, bins=60)
    bars = go.Bar(x=((edges[:-1] + edges[1:]) / 2).tolist(), y=heights.tolist(), name="rows", marker={"color": BLUE})
    line = go.Scatter(
        x=[limit, limit],
        y=[0.8, max(int(heights.max(initial=1)), 1)],
        mode="lines",
        name="flagged below",
        line={"color": VERMILION, "dash": "dash"},
    )
    return figure(
        [bars, line],
        title="Do some rows stand apart?",
        x=label,
        y="rows",
        caption="A small heap apart at the low end is a sign of rows that nothing trained. Some are flagged in "
        "any table, also where there is none.",
        alt=f"Number of rows by {label}.",
        yaxis={"type": "log"},
    )


def _upright(names: list[str], at: float, name: str, look: dict[str, str]) -> go.Scatter:
    return go.Scatter(x=[at] * len(names), y=names, mode="lines", name=name, line=look)
