"""How well cosines of rows follow the company that tokens keep, by frequency, with chance in grey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, band, figure, legend_names, line

COLOURS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY)


def draw_association(
    rows: Sequence[Mapping[str, Any]], chance: tuple[float, float], frequency: float | None
) -> go.Figure:
    """A curve a run over the tenths of the asked tokens; `chance` where it lies over all pairs, low and high,
    `frequency` what frequency alone would get over all pairs; `rows` are those of the table `association`."""
    names = list(dict.fromkeys(row["run"] for row in rows))
    tenths = sorted({row["decile"] for row in rows})
    short = legend_names(names)
    middle, half = (chance[0] + chance[1]) / 2, (chance[1] - chance[0]) / 2
    n = len(tenths)
    traces = list(band(tenths, [middle] * n, [half] * n, name="chance, over all pairs"))
    if frequency is not None:
        look = {"color": GREY, "dash": "dash", "width": 1.5}
        alone = go.Scatter(x=tenths, y=[frequency] * n, mode="lines", name="frequency alone", line=look)
        traces.append(alone)
    for place, name in enumerate(names):
        own = [row for row in rows if row["run"] == name]
        counts = [f"seen {row['count_low']:,} to {row['count_high']:,} times" for row in own]
        curve = line(
            [row["decile"] for row in own],
            [row["spearman"] for row in own],
            name="rows" if len(names) == 1 else short[name],
            colour=COLOURS[place % len(COLOURS)],
            markers=True,
        )
        hover = f"%{{customdata}}: %{{y:.2f}}<extra>{escape(name)}</extra>"
        traces.append(curve.update(customdata=counts, hovertemplate=hover))
    return figure(
        traces,
        title="Do rows lie as near as the text says their tokens are?",
        x="tenth of the commonest tokens, the rarest first",
        y="rank correlation with PPMI",
        caption="Above the grey, rows learned which tokens keep company, beyond how common they are; 1 would be "
        "the very order of the text. Grey: rows dealt anew by frequency. A fall at the right says that cosines "
        "mislead for the commonest words. Says nothing of tokens that are rarer than these.",
        alt="Rank correlation of cosines of rows and of PPMI by frequency, with chance in grey.",
        xaxis={"dtick": 1},
    )
