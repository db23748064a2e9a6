"""Loss by how common the target is, beside what its frequency alone would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREY, figure


def name_band(decile: int) -> str:
    """A band in words: `tenth 10`, `never seen`, `end of text` for special tokens."""
    return {-1: "special (end of text)", 0: "never seen"}.get(decile, f"tenth {decile}")


def draw_losses(rows: Sequence[Mapping[str, Any]]) -> dict[str, go.Figure]:
    """Bars of the loss of each tenth with the unigram cost as marks, and each tenth's part of the whole loss; `rows`
    are those of one split in the table `loss_by_frequency`."""
    shown = [row for row in rows if row["decile"] >= 0]
    axis: dict[str, Any] = {"x": "tenth by frequency (1 rarest, 0 unseen)", "xaxis": {"dtick": 1}}
    marks = go.Scatter(
        x=[row["decile"] for row in shown],
        y=[row["unigram_loss"] for row in shown],
        name="frequency alone",
        mode="markers",
        marker={"color": GREY, "symbol": "line-ew-open", "size": 22, "line": {"width": 3}},
        hovertemplate="frequency alone: %{y:.2f} nats",
    )
    return {
        "loss_by_frequency": figure(
            [_bars(shown, [row["loss"] for row in shown], "model", "nats"), marks],
            title="Which words can it predict?",
            y="nats a target",
            caption="Below the grey mark: context taught the model something about them. A tenth holds equally "
            "many tokens, not equally much text.",
            alt="Loss of targets by frequency tenth, with the cost by frequency alone.",
            **axis,
        ),
        "loss_parts": figure(
            [_bars(shown, [r["share"] * r["loss"] for r in shown], "share of targets times loss", "of the whole loss")],
            title="Where is the loss?",
            y="nats a token of the text",
            caption="The bars add up to the loss but for special tokens: common words weigh most, since they are most "
            "of the text, however well each is predicted.",
            alt="Each frequency tenth's part of the whole loss.",
            **axis,
        ),
    }


def _bars(rows: Sequence[Mapping[str, Any]], values: Sequence[float], name: str, unit: str) -> go.Bar:
    return go.Bar(
        x=[row["decile"] for row in rows],
        y=list(values),
        name=name,
        marker={"color": BLUE},
        customdata=[f"{name_band(row['decile'])}, {row['share']:.1%} of the targets" for row in rows],
        hovertemplate=f"%{{customdata}}: %{{y:.2f}} {unit}",
    )
