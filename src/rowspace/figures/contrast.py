"""One-hot against dense: which of the chapters' words are near each other, and whose company bank keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import CYCLE, GREY, SYMBOLS, figure, legend_names
from rowspace.figures.tokens import show_in_figure

Found = Mapping[str, Any]
SHADES = [[0.0, "#E69F00"], [0.5, "#f7f7f7"], [1.0, "#0072B2"]]
"""Cosines from -1 to 1."""
GAP = 0.04


def draw_contrast(tables: Mapping[str, Found]) -> go.Figure:
    """Heat maps side by side; `tables` are those of `probes.contrast.find_contrast` by their names, two or three."""
    n = len(tables)
    width = (1 - GAP * (n - 1)) / max(n, 1)
    traces, notes, axes = [], [], {}
    for place, (name, found) in enumerate(tables.items()):
        key = "" if place == 0 else str(place + 1)
        left = place * (width + GAP)
        traces.append(_heat(found, f"x{key}", name))
        axes[f"xaxis{key}"] = {"domain": [left, left + width], "showgrid": False, "title": {"text": ""}}
        notes.append(_heading(name, left + width / 2))
    return figure(
        traces,
        title="Does a table know that cat is near kitten?",
        x="",
        y="",
        caption="A cell is the cosine of two words' rows: dark blue is the same direction (1), white none in common. "
        "One-hot rows have 1 with themselves and 0 with every other word: all are equally far apart. A dense table may "
        "know that the words of a pair belong together: dark squares of two by two along the diagonal."
        + "".join(_chance(name, found) for name, found in tables.items())
        + _absent(tables),
        alt=f"Cosines between the words {', '.join(next(iter(tables.values()), {'words': []})['words'])} in "
        f"{', '.join(map(escape, tables))}.",
        annotations=notes,
        height=400 if n < 3 else 340,
        margin={"t": 70},
        yaxis={"autorange": "reversed", "showgrid": False},
        **axes,
    )


def _heat(found: Found, axis: str, name: str) -> go.Heatmap:
    words = [show_in_figure(word) for word in found["words"]]
    return go.Heatmap(
        x=words,
        y=words,
        z=[[None if value is None else round(value, 4) for value in line] for line in found["cosines"]],
        text=[["" if value is None else _short(value) for value in line] for line in found["cosines"]],
        texttemplate="%{text}",
        textfont={"size": 10},
        zmin=-1,
        zmax=1,
        colorscale=SHADES,
        showscale=False,
        xaxis=axis,
        hovertemplate=f"%{{x}} and %{{y}}: %{{z:.3f}}<extra>{escape(name)}</extra>",
        name=escape(name),
    )


def _heading(name: str, middle: float) -> dict[str, Any]:
    place = {"x": middle, "xref": "paper", "xanchor": "center", "y": 1.02, "yref": "paper", "yanchor": "bottom"}
    return {**place, "text": escape(name), "showarrow": False, "font": {"size": 13}}


def _short(value: float) -> str:
    """Two digits in little room: `.43`, `−.07`."""
    said = f"{abs(value):.2f}".removeprefix("0")
    return ("−" if value < 0 and said != ".00" else "") + ("1" if said == "1.00" else "0" if said == ".00" else said)


def _chance(name: str, found: Found) -> str:
    if found["middle"] is None:
        return ""
    return (
        f" Of random pairs of words 95 in 100 lie between {found['low']:.2f} and {found['high']:.2f} in {escape(name)}."
    )


def _absent(tables: Mapping[str, Found]) -> str:
    """Words without a row, and why."""
    why: dict[str, str] = {}
    for found in tables.values():
        pairs = zip(found["words"], found["cosines"], found["policies"], strict=True)
        why |= {word: policy for word, line, policy in pairs if all(value is None for value in line)}
    return f" Left out: {', '.join(f'{show_in_figure(w)} ({escape(p)})' for w, p in why.items())}." if why else ""


def draw_contexts(tables: Mapping[str, Sequence[Found]], *, word: str = "bank") -> go.Figure:
    """Cosines of `word` to words of its senses, a line for each of them; `tables` are rows of
    `probes.contrast.find_contexts` by their names, at most four."""
    asked = list(dict.fromkeys((row["context"], row["word"]) for rows in tables.values() for row in rows))
    labels = [
        show_in_figure(member) + (f" ({escape(context)})" if member != context else "") for context, member in asked
    ]
    names = legend_names(list(tables))
    nulls: dict[str, list[float | None]] = {"x": [], "y": []}
    traces = []
    for place, (name, rows) in enumerate(tables.items()):
        at = [asked.index((row["context"], row["word"])) + _shift(place, len(tables)) for row in rows]
        for row, y in zip(rows, at, strict=True):
            if row["low"] is not None:
                nulls["x"] += [row["low"], row["high"], None]
                nulls["y"] += [y, y, None]
        traces.append(_company(rows, at, names[name], place))
    look = {"color": GREY, "width": 6}
    bars = go.Scatter(**nulls, mode="lines", name="random words", line=look, opacity=0.4, hoverinfo="skip")
    return figure(
        [bars, *traces],
        title=f"One row for two senses: whose company does {escape(word)} keep?",
        x=f"cosine to the row of {escape(word)}",
        y="",
        caption=f"A line is a word of one of the senses of {escape(word)}, a mark its cosine in one table; grey bars "
        "hold 95 of 100 random words as frequent. A table has one row for all senses: it may lie near one company, or "
        "near both, but cannot choose by the sentence. States of a model that reads the sentence can. One-hot rows "
        "have no company at all.",
        alt=f"Cosines of {escape(word)} to {', '.join(labels)} in {', '.join(map(escape, tables))}.",
        height=140 + (18 + 13 * len(tables)) * max(len(asked), 2),
        shapes=[_parting(asked, place) for place in range(1, len(asked)) if asked[place][0] != asked[place - 1][0]],
        yaxis={"tickvals": list(range(len(labels))), "ticktext": labels, "range": [len(labels) - 0.4, -0.6]}
        | {"showgrid": False},
    )


def _company(rows: Sequence[Found], at: Sequence[float], name: str, place: int) -> go.Scatter:
    return go.Scatter(
        x=[row["cosine"] for row in rows],
        y=list(at),
        text=[show_in_figure(row["word"]) for row in rows],
        hovertemplate="%{text}: %{x:.3f}<extra>" + name + "</extra>",
        mode="markers",
        name=name,
        marker={"color": CYCLE[place % len(CYCLE)], "symbol": SYMBOLS[place % len(SYMBOLS)], "size": 9},
    )


def _shift(place: int, n: int) -> float:
    """Where a table stands about the line of a word."""
    return (place - (n - 1) / 2) * 0.7 / max(n, 1)


def _parting(asked: Sequence[tuple[str, str]], place: int) -> dict[str, Any]:
    """A line between the words of two senses."""
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": place - 0.5, "y1": place - 0.5} | {
        "line": {"color": GREY, "width": 1}
    }
