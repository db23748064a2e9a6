"""Scores over training: one small panel a question, the run's value over the grey band where chance would lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.curves import find_series
from rowspace.figures.style import BLUE, GREY, GREY_BAND, figure, line

CAPTION = (
    "Grey: where a table that knows nothing would fall 998 times of 1,000, on the same questions. A point inside the "
    "grey says nothing; only what leaves it was learned."
)


def draw_score(rows: Sequence[Mapping[str, Any]], key: str, label: str, *, share: bool) -> go.Figure:
    """One score over the run from rows of metrics.jsonl: `key` in blue, from `key/null_low` to `key/null_high` in grey.

    `label` is what was asked, in words; `share` writes the axis in percent.
    """
    steps, values = find_series(rows, key)
    low = dict(zip(*find_series(rows, f"{key}/null_low"), strict=True))
    high = dict(zip(*find_series(rows, f"{key}/null_high"), strict=True))
    both = [step for step in low if step in high]
    quiet: dict[str, Any] = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "line": {"width": 0}}
    expected, middle = find_series(rows, f"{key}/null")
    dotted = {"color": GREY, "dash": "dot", "width": 1.5}
    asked = label if "?" in label else f"{label.rstrip('.')}?"
    title = escape(asked)
    return figure(
        [
            go.Scatter(x=both, y=[low[step] for step in both], **quiet),
            go.Scatter(x=both, y=[high[step] for step in both], fill="tonexty", fillcolor=GREY_BAND, **quiet),
            go.Scatter(x=expected, y=middle, mode="lines", name="chance", line=dotted, showlegend=False),
            line(steps, values, name="this run", colour=BLUE, markers=True, showlegend=False),
        ],
        title=title,
        x="optimizer step",
        y="share" if share else "score",
        caption=CAPTION,
        alt=f"{title} Over optimizer steps, with the interval of chance in grey.",
        yaxis={"range": _range([*values, *low.values(), *high.values()]), "tickformat": ".1~%" if share else ".3~g"},
    )


def _range(values: Sequence[float]) -> list[float]:
    """An axis that does not blow up a band of no width, and does not go below zero where nothing does."""
    least, most = min(values, default=0.0), max(values, default=1.0)
    pad = max(0.08 * (most - least), 0.05 * max(abs(least), abs(most)), 1e-3)
    return [max(0.0, least - pad) if least >= 0 else least - pad, most + pad]


def find_score_keys(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Keys of metrics.jsonl that carry an interval of chance, in the order in which they first appear."""
    ends = [key for row in rows for key in row if key.endswith("/null_low")]
    return list(dict.fromkeys(key.removesuffix("/null_low") for key in ends))
