"""How bits per byte change with the length of the window: one panel for each way to cut windows, and by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import GREY, SYMBOLS, colours_of, figure, legend_names, line

DOTTED = {"color": GREY, "dash": "dot", "width": 1.5}

TITLES = {
    "sliding": (
        "Does more text before a token help?",
        "Windows slide, so every target has text before it at all lengths: below the curve's own start, longer text "
        "helps; above it, the scheme breaks. ",
    ),
    "apart": (
        "And in windows laid end to end?",
        "A longer window has fewer tokens that begin with nothing before them: a fall here that the sliding windows do "
        "not show is that alone. ",
    ),
}
SAME = (
    "All points score the same targets. Thin lines: the same model at its trained length; bars: 95 % intervals of the "
    "change from there. Dotted grey: token frequencies alone."
)


def draw_lengths(rows: Sequence[Mapping[str, Any]], windows: str, unit: str, of: str = "") -> go.Figure:
    """Loss against length in trained lengths, one curve a label; `rows` of one way to cut, `unit` bpb or loss.

    `of` ends the title, where a page has several such figures.
    """
    title, caption = TITLES[windows]
    axis = "bits per byte" if unit == "bpb" else "nats per token"
    top = max(row["factor"] for row in rows)
    traces = [trace for place in range(len(by_label(rows))) for trace in _curve(rows, place, unit, top)]
    factors = sorted({row["factor"] for row in rows})
    return figure(
        [*traces, *_unigram(rows, f"unigram_{unit}", [1, top])],
        title=title + of,
        x="length of the window, in trained lengths",
        y=axis,
        caption=caption + SAME,
        alt=f"{axis} against the length of the window for {', '.join(by_label(rows))}.",
        xaxis={"type": "log", "tickvals": factors, "ticktext": [f"{factor}x" for factor in factors]},
    )


def _curve(rows: Sequence[Mapping[str, Any]], place: int, unit: str, top: int) -> list[go.Scatter]:
    """One label's curve with the intervals of its changes, over a thin line at its own trained length."""
    labels = by_label(rows)
    label, own = list(labels.items())[place]
    kept = [row for row in own if row[unit] is not None]
    if not kept:
        return []
    colour, start = _colours(rows)[place], kept[0][unit]
    level = go.Scatter(x=[1, top], y=[start, start], mode="lines", line={"color": colour, "width": 1}, opacity=0.45)
    name = legend_names(list(labels))[label] + (
        "" if len(kept) == len(own) else f" (no position beyond {kept[-1]['factor']}x)"
    )
    curve = line([row["factor"] for row in kept], [row[unit] for row in kept], name=name, colour=colour, markers=True)
    known = all(row["change"] is not None for row in kept)
    return [
        level.update(showlegend=False, hoverinfo="skip"),
        curve.update(
            marker={"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 8},
            customdata=[f"{row['length']:,} tokens, {_signed(row)}" for row in kept],
            hovertemplate=f"%{{customdata}}: %{{y:.3f}}<extra>{escape(label)}</extra>",
            error_y={
                "type": "data",
                "array": [row["change_high"] - row["change"] for row in kept] if known else [],
                "arrayminus": [row["change"] - row["change_low"] for row in kept] if known else [],
                "thickness": 1,
                "width": 3,
            },
        ),
    ]


def draw_positions(rows: Sequence[Mapping[str, Any]], unit: str, of: str = "") -> go.Figure:
    """Loss by position within the longest window, one curve a label, beside the trained length's on the same targets.

    `rows` are those of the table length_positions.
    """
    axis = "bits per byte" if unit == "bpb" else "nats per token"
    traces: list[go.Scatter] = []
    names = legend_names(list(by_label(rows)))
    for place, (label, own) in enumerate(by_label(rows).items()):
        kept = [row for row in own if row[unit] is not None]
        colour = _colours(rows)[place]
        x = [row["trained_lengths"] for row in kept]
        traces.append(line(x, [row[unit] for row in kept], name=names[label], colour=colour))
        traces[-1].update(hovertemplate=f"%{{x:.2f}}, %{{y:.3f}}<extra>{escape(label)}</extra>")
    first = next(iter(by_label(rows).values()))
    x = [row["trained_lengths"] for row in first]
    for key, name, look in (
        (f"trained_length_{unit}", f"{names[first[0]['label']]}, trained length", {**DOTTED, "color": "#333333"}),
        (f"unigram_{unit}", "token frequencies", DOTTED),
    ):
        if any(row[key] is not None for row in first):
            traces.append(go.Scatter(x=x, y=[row[key] for row in first], mode="lines", name=name, line=look))
    return figure(
        traces,
        title="Where in a long window does it break?" + of,
        x="position in the longest window, in trained lengths",
        y=axis,
        caption="Each point has targets of its own, so a curve is as rough as the text: compare curves at one "
        "position. Left of 1 every position was trained; a scheme that does not reach further leaves the dotted "
        "line beyond it.",
        alt=f"{axis} by position in the longest window for {', '.join(by_label(rows))}.",
        shapes=[{"type": "line", "x0": 1, "x1": 1, "y0": 0, "y1": 1, "yref": "paper", "line": {"color": GREY}}],
        annotations=[
            {"x": 1, "y": 1, "yref": "paper", "text": " trained length", "showarrow": False, "xanchor": "left"}
        ],
    )


def by_label(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Rows by label, in their order."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["label"], []).append(row)
    return found


def _colours(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return colours_of([own[0] for own in by_label(rows).values()])


def _signed(row: Mapping[str, Any]) -> str:
    if row["change"] is None:
        return "no change known"
    return f"{row['change']:+.3f} ({row['change_low']:+.3f} to {row['change_high']:+.3f})"


def _unigram(rows: Sequence[Mapping[str, Any]], key: str, ends: list[int]) -> list[go.Scatter]:
    """The null of each kind of token, once."""
    known = {round(row[key], 6): row[key] for row in rows if row[key] is not None}
    return [
        go.Scatter(x=ends, y=[value, value], mode="lines", name="token frequencies", line=DOTTED)
        for value in known.values()
    ]
