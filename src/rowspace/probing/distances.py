"""The distance probe at work: gradient norms of trained bodies and of the same bodies before training, as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from rowspace.errors import ConfigError, Problem
from rowspace.figures.distance import draw_distances
from rowspace.model.language_model import LanguageModel
from rowspace.probes.distance import measure_gradient_norms
from rowspace.probing.base import Findings, Progress, Shown, Subject, labels, refuse_unless
from rowspace.probing.distance import Distance

READING = (
    "Each point is the median over {samples} pairs of a text and a random direction; the band holds the middle "
    "half. Grey is the same body before its first step: what lies on it was built in and not learned. The axis is"
    " logarithmic, so a straight fall means that each step back costs the same factor. A large gradient says that"
    " an input could move the state, not that the model makes use of it; heights depend on the scale of E, so "
    "compare how curves fall."
)


def measure(option: Distance, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Distance.measure`."""
    rows: list[dict[str, Any]] = []
    named = labels(subjects, "body")
    for done, (subject, label) in enumerate(zip(subjects, named, strict=True)):
        refuse_unless(
            subject.config.body.sees != "source and past",
            subject,
            f"body={subject.config.body.name} reads a second text, so that no one distance separates a state from its "
            "inputs; ask a run with a body of one text",
        )
        ids = _texts(option, subject)
        seed = subject.config.stream_seed("probe")
        for half, (weights, model) in enumerate((("trained", subject.model), ("start", subject.initial()))):
            progress("following gradients back", 2 * done + half, 2 * len(subjects))
            norms = _norms(model, ids, option.draws, seed)
            rows += [{"run": subject.path, "label": label, "weights": weights, **row} for row in _rows(norms)]
    progress("following gradients back", 1, 1)
    return Findings(
        question="How far back does a state look?",
        sentence=_sentence(rows),
        rows={"distance": rows},
        shown=[_table(rows)],
        figures={"distance": draw_distances(rows)},
        reading=READING.format(samples=option.texts * option.draws),
    )


def _texts(option: Distance, subject: Subject) -> Int64[Tensor, "B T"]:
    """Windows of the split, evenly spaced."""
    stream, T = subject.stream(option.split), option.length or subject.config.model.n_ctx
    if stream.N <= T:
        given = f"{T} was asked and the {option.split} text has {stream.N} tokens"
        raise ConfigError(Problem("distance.length", given, f"at most {stream.N - 1}"))
    starts = np.linspace(0, stream.N - 1 - T, option.texts).astype(np.int64)
    return torch.from_numpy(stream.ids[starts[:, None] + np.arange(T)].astype(np.int64))


def _norms(model: LanguageModel, ids: Int64[Tensor, "B T"], draws: int, seed: int) -> Float[Tensor, "N T"]:
    """Gradient norms of the last state, by distance."""
    with torch.no_grad():
        inputs = model.inputs(ids.to(model.embedding.weight.device))
    return measure_gradient_norms(lambda h: model.body(h, model.position)[-1], inputs, draws=draws, seed=seed)


def _rows(norms: Float[Tensor, "N T"]) -> list[dict[str, Any]]:
    low, middle, high = np.quantile(norms.numpy(), [0.25, 0.5, 0.75], axis=0)
    return [
        {"distance": k, "norm": float(middle[k]), "norm_low": float(low[k]), "norm_high": float(high[k])}
        for k in range(len(middle))
    ]


def _by_distance(rows: Sequence[Mapping[str, Any]], label: str, weights: str) -> dict[int, float]:
    return {r["distance"]: r["norm"] for r in rows if r["label"] == label and r["weights"] == weights}


def _sentence(rows: Sequence[Mapping[str, Any]]) -> str:
    """How much of the influence of the token before is left at half the text, for each run."""
    said = []
    for label in dict.fromkeys(row["label"] for row in rows):
        norms = _by_distance(rows, label, "trained")
        k = max(norms) // 2
        if not norms.get(1):
            said.append(f"{label} does not look back at all")
        else:
            said.append(
                f"{label} keeps {norms[k] / norms[1]:.2g} of the influence of the token before at {k} tokens back"
            )
    return f"{'; '.join(said)}."


def _table(rows: Sequence[Mapping[str, Any]]) -> Shown:
    """Norms at distances that double."""
    longest = max(row["distance"] for row in rows)
    asked = [0, *(2**n for n in range(longest.bit_length()) if 2**n <= longest)]
    lines = []
    for label in dict.fromkeys(row["label"] for row in rows):
        for weights, said in (("trained", ""), ("start", " before training")):
            norms = _by_distance(rows, label, weights)
            lines.append([f"{label}{said}", *(f"{norms[k]:.2g}" if k in norms else "-" for k in asked)])
    return Shown("gradient norm of a state by distance of the input", ["tokens back", *map(str, asked)], lines)
