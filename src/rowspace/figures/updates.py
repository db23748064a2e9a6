"""Gradients and movement of rows by frequency, and the gradient's share in each part of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, figure, line

SIDES = {"input_energy": ("input side", BLUE), "output_energy": ("output side", VERMILION)}
PARTS = {
    "with_gradient": ("in steps with a gradient", GREEN),
    "without_gradient": ("momentum alone", ORANGE),
    "by_decay": ("decay", GREY),
}
COLOURS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, "#F0E442", GREY)
MOST = 8
"""Areas at most: with more, blocks of one kind are added up."""


def draw_energy(rows: Sequence[Mapping[str, Any]], table: str) -> go.Figure:
    """Mean squared gradient of a row a step by tenth, from each side; `rows` are those of the table `updates`."""
    return _by_tenth(
        rows,
        table,
        SIDES,
        title=f"Which rows of {table} get a gradient, and from which side?",
        y="squared norm of a row's gradient",
        caption="The input side reaches the rows that a batch holds: rare rows get little of it. The output side "
        "reaches every row at every step, mostly to push it down where another token was the target.",
        yaxis={"type": "log", "exponentformat": "power"},
    )


def draw_movement(rows: Sequence[Mapping[str, Any]], table: str) -> go.Figure:
    """Mean distance that a step moves a row by tenth, and by what; `rows` are those of the table `updates`."""
    return _by_tenth(
        rows,
        table,
        PARTS,
        title=f"How far does a step move a row of {table}, and by what?",
        y="distance in a step",
        caption="A gradient is not an update. Momentum moves rows whose gradient is zero, decay shrinks all of them; "
        "what momentum adds to a row that has a gradient too is not told apart.",
        yaxis={"rangemode": "tozero"},
    )


def _by_tenth(
    rows: Sequence[Mapping[str, Any]], table: str, parts: Mapping[str, tuple[str, str]], **about: Any
) -> go.Figure:
    """One curve a part, over the tenths of one table; 0 stands for tokens never seen. Parts that are 0 are left out."""
    own = [row for row in rows if row["table"] == table]
    tenths = [row["decile"] for row in own]
    log = about["yaxis"].get("type") == "log"
    traces = [
        line(tenths, [row[key] if row[key] > 0 or not log else None for row in own], name=name, colour=c, markers=True)
        for key, (name, c) in parts.items()
        if any(row[key] > 0 for row in own)
    ]
    names = ", ".join(name for name, _ in parts.values())
    return figure(
        traces,
        x="tenth by frequency (1 rarest, 0 unseen)",
        alt=f"{about['y']} of {table} by frequency tenth: {names}.",
        xaxis={"dtick": 1},
        showlegend=True,
        **about,
    )


def draw_components(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """Stacked shares of the squared gradient over the run; `rows` have step, component and norm."""
    stacked = find_stack(rows)
    steps = sorted({row["step"] for row in rows})
    traces = [
        go.Scatter(
            x=steps,
            y=[shares.get(step, 0.0) for step in steps],
            name=name,
            mode="lines",
            stackgroup="gradient",
            line={"width": 0.5, "color": colour},
            hovertemplate="%{y:.1%}",
        )
        for (name, shares), colour in zip(stacked.items(), COLOURS * (1 + len(stacked) // MOST), strict=False)
    ]
    return figure(
        traces,
        title="Where does the gradient go?",
        x="optimizer step",
        y="share of the squared gradient",
        caption="Squared norms add up to that of the whole gradient. A part with next to nothing is hardly trained; "
        "Adam divides each number by its own size, so that a small share need not mean small steps.",
        alt=f"Shares of the squared gradient over optimizer steps: {', '.join(stacked)}.",
        yaxis={"range": [0, 1], "tickformat": ".0%"},
    )


def find_stack(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[int, float]]:
    """Share of the squared gradient by component in words and step; blocks of one kind together where there are many
    components."""
    names = list(dict.fromkeys(row["component"] for row in rows))
    together = len(names) > MOST
    squares: dict[str, dict[int, float]] = {}
    totals: dict[int, float] = {}
    for row in rows:
        name, step, square = _in_words(row["component"], together=together), row["step"], row["norm"] ** 2
        own = squares.setdefault(name, {})
        own[step] = own.get(step, 0.0) + square
        totals[step] = totals.get(step, 0.0) + square
    return {
        name: {step: square / totals[step] for step, square in own.items() if totals[step] > 0}
        for name, own in squares.items()
    }


def _in_words(component: str, *, together: bool) -> str:
    """`block_2_attention` as `block 2 attention`, or `attention` where all blocks stand together."""
    words = component.split("_")
    if together and "block" in words:
        place = words.index("block")
        words = words[:place] + words[place + 2 :]
    return " ".join(words)
