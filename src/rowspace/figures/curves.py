"""Loss and bits per byte over the run, with what a model that learned nothing would get as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import BLUE, GREEN, GREY, ORANGE, VERMILION, figure, line

STEP = "trainer/global_step"


def find_series(rows: Sequence[Mapping[str, Any]], key: str) -> tuple[list[int], list[float]]:
    """Steps and values of a metric, where it has one; rows are those of metrics.jsonl."""
    kept = [(int(row[STEP]), float(row[key])) for row in rows if row.get(key) is not None and STEP in row]
    return [step for step, _ in kept], [value for _, value in kept]


def draw_loss(rows: Sequence[Mapping[str, Any]], floors: Mapping[str, float | None]) -> go.Figure:
    """Training and validation loss in nats a token; `floors` are run.json's, of validation where it has them."""
    traces = []
    for key, name, colour, markers in (
        ("train/loss", "training", ORANGE, False),
        ("val/loss", "validation", BLUE, True),
    ):
        steps, values = find_series(rows, key)
        if steps:
            traces.append(line(steps, values, name=name, colour=colour, markers=markers))
    return figure(
        [*traces, *_floors(rows, floors, "loss")],
        title="Did it learn, and was it still learning at the end?",
        x="optimizer step",
        y="loss, nats per token",
        caption="Lower is better. A validation curve that turns up while training goes on falling is over-fitting. "
        "Nats per token depend on the tokenizer: compare tokenizers in bits per byte only.",
        alt="Training and validation loss over optimizer steps.",
        legend={"traceorder": "normal"},
    )


def draw_bpb(rows: Sequence[Mapping[str, Any]], floors: Mapping[str, float | None]) -> go.Figure:
    """Validation bits per byte; `floors` are run.json's, of validation where it has them."""
    steps, values = find_series(rows, "val/bpb")
    traces = [line(steps, values, name="validation", colour=BLUE, markers=True)] if steps else []
    return figure(
        [*traces, *_floors(rows, floors, "bpb")],
        title="How many bits does it need for a byte of text it never saw?",
        x="optimizer step",
        y="bits per byte",
        caption="Lower is better, and the number is comparable between tokenizers. Uniform guesses every token alike, "
        "unigram knows only how often each token occurs: a model above the unigram line has learned no context.",
        alt="Validation bits per byte over optimizer steps, with the uniform and unigram floors.",
    )


def _floors(rows: Sequence[Mapping[str, Any]], floors: Mapping[str, float | None], unit: str) -> list[go.Scatter]:
    """Dashed lines, named where they are: a legend would have to be looked up."""
    last = max((int(row[STEP]) for row in rows if STEP in row), default=1)
    looks = {
        "uniform": {"color": GREY, "dash": "dot"},
        "unigram": {"color": VERMILION, "dash": "dash"},
        "generator": {"color": GREEN, "dash": "dash"},
    }
    return [
        go.Scatter(
            x=[0, last * 0.98, last],
            y=[value] * 3,
            text=["", f"{name} {value:.2f}", ""],
            textposition="bottom left",
            textfont={"size": 11},
            name=f"{name} model",
            mode="lines+text",
            line={**look, "width": 1.5},
            showlegend=False,
        )
        for name, look in looks.items()
        if (value := floors.get(f"val_{name}_{unit}", floors.get(f"{name}_{unit}"))) is not None
    ]
