"""Hit rates of five measures of nearness, each beside its own chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREY, figure
from rowspace.table import Missing


def draw_measures(scores: Sequence[Any], names: Sequence[str]) -> go.Figure:
    """A bar a measure and a grey mark with its interval for chance; `scores` in the order of `names`."""
    known = [(name, one) for name, one in zip(names, scores, strict=True) if not isinstance(one.value, Missing)]
    x = [name for name, _ in known]
    chance = [one.chance for _, one in known]
    error = {
        "type": "data",
        "symmetric": False,
        "array": [one.high - one.chance for _, one in known],
        "arrayminus": [one.chance - one.low for _, one in known],
        "color": GREY,
        "thickness": 2,
    }
    return figure(
        [
            go.Bar(x=x, y=[one.value for _, one in known], name="hit rate", marker={"color": BLUE}, width=0.5),
            go.Scatter(
                x=x,
                y=chance,
                error_y=error,
                mode="markers",
                name="chance, 998 of 1,000",
                marker={"color": GREY, "symbol": "line-ew-open", "size": 16, "line": {"width": 3}},
            ),
        ],
        title="By which measure do neighbours make sense?",
        x="",
        y="neighbours in a list with the word",
        caption="Blue: the share of nearest rows that a word list holds together with the word. Grey: the same "
        "neighbours with the lists' words dealt anew among words as frequent.",
        alt=f"Hit rates by {', '.join(x)}, with the interval of chance.",
        yaxis={"tickformat": ".0%", "rangemode": "tozero"},
    )
