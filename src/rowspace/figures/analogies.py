"""Right answers by section: the usual number beside the two that keep it honest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREY, ORANGE, figure
from rowspace.figures.tokens import show_in_figure

MODES = {
    "add": ("question's words excluded", BLUE, ""),
    "only_b": ("nearest to b alone", GREY, "/"),
    "add_unrestricted": ("nothing excluded", ORANGE, "."),
}


def draw_sections(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """Three bars a section; `rows` are those of the table analogies. Sections where no question counted have none."""
    kept = [row for row in rows if row["counted"]]
    names = [f"{show_in_figure(row['section'])} ({show_in_figure(row['set'])})" for row in kept]
    traces = [
        go.Bar(
            x=[row[mode] for row in kept],
            y=names,
            orientation="h",
            name=name,
            marker={"color": colour, "pattern": {"shape": shape}},
            customdata=[row["counted"] for row in kept],
            hovertemplate="%{y}: %{x:.1%} of %{customdata} questions<extra>" + name + "</extra>",
        )
        for mode, (name, colour, shape) in MODES.items()
    ]
    return figure(
        traces,
        title="Does the offset answer, or closeness?",
        x="right answers",
        y="",
        caption="The offset a* - a is what a bar in blue has over the one in grey; where they are alike, the nearest "
        "row to b was the answer anyway.",
        alt=f"Share of right answers in {len(kept)} sections, with the question's words excluded, for the nearest to b "
        "alone, and with nothing excluded.",
        barmode="group",
        xaxis={"tickformat": ".0%", "range": [0, 1]},
        yaxis={"autorange": "reversed"},
        height=160 + 44 * max(len(kept), 2),
    )
