"""What options do to a metric: a panel an axis, a panel for two axes together, and arms in their order.

Drawn from plain numbers; an interval that does not exist is None and is not drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, CYCLE, GREY, LONGEST, OPTION_COLOURS, SYMBOLS, figure, legend_names, of_runs

SPREAD = 0.32
"""Width over which the points of a level are spread, in levels."""
BELOW = 0.24
"""How far below the mean of an arm its seeds stand, in rows."""
NO_BAR = "none"
"""Of what is no number Plotly draws no bar; of null it draws the ends of one without length."""
EFFECT = (
    "Points are runs, less what the other axes do to them; the square is the mean of a level and its bar the 95 % "
    "interval; the grey line is the mean of the levels. Bars clear of each other are a difference; overlapping bars "
    "are not yet sameness. All panels share one scale. It speaks of these settings and this text alone."
)
INTERACTION = (
    "Lines that run alike mean that one axis does the same at every level of the other; lines that cross or open mean "
    "that it depends. Bars: the 95 % interval of what the two do together. Do not read a tilt inside the bars."
)
STANDINGS = (
    "A row is an arm: points are its seeds, the square their mean, the bar its 95 % interval; the dotted line is the "
    "first arm's mean. The order of arms whose bars overlap may turn with other seeds; the table has each verdict."
)


@dataclass(frozen=True)
class Mark:
    """A mean with its interval and the single runs behind it, under a label (plain text)."""

    label: str
    mean: float
    low: float | None = None
    high: float | None = None
    points: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    """What each point is called when it is hovered."""
    runs: tuple[int, ...] = ()
    """The run behind each point, by its place among the ranked ones: what a filter keeps or dims."""


@dataclass(frozen=True)
class Panel:
    """What one axis does: its conclusion, its label and its levels."""

    title: str
    axis: str
    levels: Sequence[Mark]


def option_colours(labels: Sequence[str]) -> list[str]:
    """The colours that options have on every page; one blue where the levels are no options."""
    known = [OPTION_COLOURS.get(label) for label in labels]
    return [one for one in known if one is not None] if None not in known else [BLUE] * len(labels)


def draw_effect(levels: Sequence[Mark], *, title: str, axis: str, unit: str, reach: tuple[float, float]) -> go.Figure:
    """Levels of one axis against their mean; `reach` is the scale that all panels share."""
    colours = option_colours([level.label for level in levels])
    ticks = list(range(len(levels)))
    traces = [
        go.Scatter(
            x=[-0.5, len(levels) - 0.5],
            y=[0.0, 0.0],
            mode="lines",
            hoverinfo="skip",
            line={"color": GREY, "width": 1.5},
        ),
        go.Scatter(
            x=[place + shift for place, level in enumerate(levels) for shift in _shifts(len(level.points))],
            y=[point for level in levels for point in level.points],
            text=[escape(name) for level in levels for name in level.names or [""] * len(level.points)],
            hovertemplate="%{text}<br>%{y:+.4f}<extra></extra>",
            mode="markers",
            marker={"size": 5, "opacity": 0.45, "color": GREY},
            meta=of_runs([run] for level in levels for run in level.runs),
        ),
        _means(ticks, levels, colours),
    ]
    return figure(
        traces,
        title=escape(title),
        x=escape(axis),
        y=f"change, {unit}",
        caption=EFFECT,
        alt=f"{escape(title)}. Each level against the mean of the levels, with points for runs and intervals.",
        showlegend=False,
        xaxis={
            "tickvals": ticks,
            "ticktext": [escape(level.label) for level in levels],
            "range": [-0.5, len(levels) - 0.5],
        },
        yaxis={"range": list(reach), "tickformat": "+.2~g"},
        margin={"l": 54, "r": 10, "t": 44, "b": 46},
    )


def draw_interaction(
    lines: Sequence[tuple[str, Sequence[Mark]]], *, title: str, axis: str, by: str, unit: str
) -> go.Figure:
    """The metric over the levels of `axis`, a line for each level of `by`."""
    names = legend_names([label for label, _ in lines])
    colours = option_colours([label for label, _ in lines])
    if len(set(colours)) < len(colours):
        colours = [CYCLE[place % len(CYCLE)] for place in range(len(lines))]
    order = list(dict.fromkeys(mark.label for _, marks in lines for mark in marks))
    traces = []
    for place, (label, marks) in enumerate(lines):
        shift = (place - (len(lines) - 1) / 2) * 0.06
        curve = _means([order.index(mark.label) + shift for mark in marks], marks, [colours[place]] * len(marks))
        curve.update(name=names[label], mode="lines+markers", line={"color": colours[place], "width": 2})
        traces.append(curve.update(marker={"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 8}))
    return figure(
        traces,
        title=escape(title),
        x=escape(axis),
        y=unit,
        caption=INTERACTION,
        alt=f"{escape(title)} Mean over the levels of {escape(axis)}, a line for each level of {escape(by)}.",
        legend={"title": {"text": escape(by)}},
        xaxis={"tickvals": list(range(len(order))), "ticktext": [escape(label) for label in order]},
    )


def draw_standings(arms: Sequence[Mark], *, title: str, unit: str, left_out: int = 0) -> go.Figure:
    """Arms, the first at the top."""
    places = list(range(len(arms)))
    labels = [_broken(f"{place + 1}. {arm.label}") for place, arm in enumerate(arms)]
    row = 36 if any("<br>" in label for label in labels) else 30
    more = f" {left_out:,} arms further down are in the table." if left_out else ""
    return figure(
        _standing(arms, places),
        title=escape(title),
        x=unit,
        y="",
        caption=STANDINGS + more,
        alt=f"{escape(title)} Means of {len(arms)} arms with their seeds and 95 % intervals.",
        showlegend=False,
        height=110 + row * len(arms),
        yaxis={
            "tickvals": places,
            "ticktext": labels,
            "range": [len(arms) - 0.5, -0.5],
        },
    )


def _broken(label: str) -> str:
    """In two lines where one would take the room of the figure."""
    return "<br>".join(map(escape, wrap(label, LONGEST, max_lines=2, placeholder=" …")))


def _standing(arms: Sequence[Mark], places: Sequence[int]) -> list[go.Scatter]:
    """The line of the first arm, the seeds, and the means with their bars."""
    dotted = {"color": GREY, "dash": "dot", "width": 1.5}
    return [
        go.Scatter(x=[arms[0].mean] * 2, y=[-0.5, len(arms) - 0.5], mode="lines", hoverinfo="skip", line=dotted),
        go.Scatter(
            x=[point for arm in arms for point in arm.points],
            y=[place + BELOW for place, arm in enumerate(arms) for _ in arm.points],
            text=[escape(name) for arm in arms for name in arm.names or [""] * len(arm.points)],
            hovertemplate="%{text}<br>%{x:.4f}<extra></extra>",
            mode="markers",
            marker={"size": 6, "opacity": 0.55, "color": GREY},
            meta=of_runs([run] for arm in arms for run in arm.runs),
        ),
        go.Scatter(
            x=[arm.mean for arm in arms],
            y=list(places),
            error_x=_bars(arms, BLUE),
            text=[_said(arm) for arm in arms],
            hovertemplate="%{text}<br>%{x:.4f}<extra></extra>",
            mode="markers",
            marker={"symbol": "square", "size": 9, "color": BLUE},
            meta=of_runs(arm.runs for arm in arms),
        ),
    ]


def _means(x: Sequence[float], marks: Sequence[Mark], colours: Sequence[str]) -> go.Scatter:
    """Means with bars from low to high, where there are any."""
    return go.Scatter(
        x=list(x),
        y=[mark.mean for mark in marks],
        error_y=_bars(marks, colours[0] if len(set(colours)) == 1 else GREY),
        text=[_said(mark) for mark in marks],
        hovertemplate="%{text}<br>%{y:.4f}<extra></extra>",
        mode="markers",
        marker={"symbol": "square", "size": 7, "color": list(colours)},
    )


def _bars(marks: Sequence[Mark], colour: str) -> dict[str, Any]:
    """From low to high; nothing where there is no interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [NO_BAR if mark.high is None else mark.high - mark.mean for mark in marks],
        "arrayminus": [NO_BAR if mark.low is None else mark.mean - mark.low for mark in marks],
        "thickness": 2,
        "width": 7,
        "color": colour,
    }


def _said(mark: Mark) -> str:
    if mark.low is None or mark.high is None:
        return f"{escape(mark.label)}, without an interval"
    return f"{escape(mark.label)}, 95 % interval {mark.low:.4f} to {mark.high:.4f}"


def _shifts(n: int) -> list[float]:
    """Places beside each other for n points of one level, the same at every drawing."""
    return [SPREAD * ((i + 0.5) / n - 0.5) for i in range(n)]
