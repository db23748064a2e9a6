"""Senses by layer: share told right beside chance, and how alike a word's states are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREEN, GREY, GREY_BAND, ORANGE, PURPLE, figure, line

Rows = Sequence[Mapping[str, Any]]
CUES = {"before": ("cue before the word", BLUE, "circle"), "after": ("cue behind the word", ORANGE, "square")}


def draw_accuracy(rows: Rows) -> go.Figure:
    """Accuracy by layer for both places of the cue; `rows` are those of one run in the table senses_layers."""
    return figure(
        _by_layer(rows, "accuracy"),
        title="Which layers tell the sense of a word?",
        x="layer (0: the rows as they enter, last: what the head reads)",
        y="share of sentences told right",
        caption="Grey: where labels exchanged within matched sentences fall 998 times of 1000, for the cue before. A "
        "body that only looks back cannot know a cue that comes later: its orange line is chance. Layers above the "
        "band by a little are not to be picked: the final one was chosen beforehand.",
        alt="Share of sentences whose sense is told right by layer, with the cue before and behind the word.",
        xaxis={"dtick": 1},
        yaxis={"range": [0, 1.02]},
    )


def draw_silhouette(rows: Rows) -> go.Figure:
    """Mean silhouette by layer for both places of the cue; `rows` as above."""
    return figure(
        _by_layer(rows, "silhouette"),
        title="Do the states of a sense lie together, apart from those of the next?",
        x="layer (0: the rows as they enter, last: what the head reads)",
        y="mean silhouette (1: far apart, 0: mixed)",
        caption="How much nearer a state is to the states of its own sense than to those of the next, by cosine "
        "distance. Grey: labels exchanged within matched sentences, 998 times of 1000, for the cue before. "
        "Above the grey the senses form groups; a small number there means groups that overlap.",
        alt="Mean silhouette of the senses by layer, with the cue before and behind the word, and the band of chance.",
        xaxis={"dtick": 1},
    )


def _by_layer(rows: Rows, name: str) -> list[go.Scatter]:
    """The column `name` by layer, a curve for each place of the cue, over the band of the first one's chance."""
    traces: list[go.Scatter] = []
    for cue, (said, colour, symbol) in CUES.items():
        own = [row for row in rows if row["cue"] == cue]
        if not own:
            continue
        x = [row["layer"] for row in own]
        if cue == "before" or not traces:
            traces += _chance(x, own, name)
        curve = line(x, [row[name] for row in own], name=said, colour=colour, markers=True)
        texts = [f"chance {r[f'{name}_chance']:.2f} ({r[f'{name}_low']:.2f} to {r[f'{name}_high']:.2f})" for r in own]
        look = {"marker": {"color": colour, "size": 8, "symbol": symbol}, "customdata": texts}
        traces.append(curve.update(hovertemplate="layer %{x}: %{y:.2f}, %{customdata}<extra></extra>", **look))
    return traces


def draw_similarity(rows: Rows) -> go.Figure:
    """Ethayarajh's three measures by layer, raw baseline in grey; cue before, else behind."""
    held = [row for row in rows if row["cue"] == "before"] or list(rows)
    x = [row["layer"] for row in held]
    traces = []
    for key, name, colour, symbol in (
        ("self_similarity_adjusted", "a word with itself", BLUE, "circle"),
        ("intra_sentence_adjusted", "words of a sentence", GREEN, "square"),
        ("mev_adjusted", "one vector explains", PURPLE, "diamond"),
    ):
        curve = line(x, [row[key] for row in held], name=name, colour=colour, markers=True)
        traces.append(curve.update(marker={"color": colour, "size": 8, "symbol": symbol}))
    look = {"color": GREY, "dash": "dot", "width": 1.5}
    y = [row["baseline_cosine"] for row in held]
    traces.append(go.Scatter(x=x, y=y, mode="lines", name="random words (subtracted)", line=look))
    return figure(
        traces,
        title="How much does a word's state change with its sentence?",
        x="layer",
        y="mean cosine, or share, less that of random words",
        caption="Falling blue: the states of one word grow apart. What random words have in common is subtracted, "
        "and drawn in grey: a narrow cone makes everything alike. Says how much states change, not whether by sense.",
        alt="Self-similarity, similarity within sentences and explainable variance by layer, adjusted for anisotropy.",
        xaxis={"dtick": 1},
    )


def _chance(x: Sequence[int], rows: Rows, name: str) -> list[go.Scatter]:
    quiet: dict[str, Any] = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "line": {"width": 0}}
    look = {"color": GREY, "dash": "dot", "width": 1.5}
    return [
        go.Scatter(x=list(x), y=[row[f"{name}_low"] for row in rows], **quiet),
        go.Scatter(x=list(x), y=[row[f"{name}_high"] for row in rows], fill="tonexty", fillcolor=GREY_BAND, **quiet),
        go.Scatter(x=list(x), y=[row[f"{name}_chance"] for row in rows], mode="lines", name="chance", line=look),
    ]
