"""The distance probe at work: gradient norms of trained bodies and of the same bodies before training, as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from rowspace.answers import Findings, Shown
from rowspace.errors import ConfigError, Problem
from rowspace.figures.distance import draw_distances
from rowspace.model.language_model import LanguageModel
from rowspace.probes.distance import measure_gradient_norms
from rowspace.probing.base import Progress, RunSubject, Subject, labels, refuse_unless, runs_of
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
    runs = runs_of(subjects)
    for done, (subject, label) in enumerate(zip(runs, labels(runs, "body"), strict=True)):
        refuse_unless(
            subject.config.body.sees != "source and past",
            subject,
            f"body={subject.config.body.name} reads a second text, so that no one distance separates a state from its "
            "inputs; ask a run with a body of one text",
        )
        knobs = {"scheme": subject.config.position.name, "body": subject.config.body.name}
        ids = _texts(option, subject)
        seed = subject.config.stream_seed("probe")
        for half, (weights, model) in enumerate((("trained", subject.model), ("start", subject.initial()))):
            progress("following gradients back", 2 * done + half, 2 * len(runs))
            norms = _norms(model, ids, option.draws, seed)
            own = {"run": subject.path, "label": label, "weights": weights} | knobs
            rows += [{**own, **row} for row in _rows(norms)]
    progress("following gradients back", 1, 1)
    return Findings(
        question="How far back does a state look?",
        sentence=_sentence(rows),
        scores=[],
        rows={"distance": rows},
        shown=[_table(rows)],
        draw=lambda: {"distance": draw_distances(rows)},
        reading=READING.format(samples=option.texts * option.draws) + _all_kept(rows),
    )


def _texts(option: Distance, subject: RunSubject) -> Int64[Tensor, "B T"]:
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


def _kept(rows: Sequence[Mapping[str, Any]]) -> tuple[int, dict[str, float | None]]:
    """A distance of the table, at most half the shortest text, and what each run keeps there of the influence of the
    token before; None for a run that does not look back."""
    norms = {label: _by_distance(rows, label, "trained") for label in dict.fromkeys(row["label"] for row in rows)}
    half = min(len(own) for own in norms.values()) // 2
    k = 2 ** (half.bit_length() - 1)
    return k, {label: own[k] / own[1] if own[1] else None for label, own in norms.items()}


def _sentence(rows: Sequence[Mapping[str, Any]]) -> str:
    """How much of the influence of the token before the first run keeps far back, and who else keeps most."""
    k, kept = _kept(rows)
    (label, own), *others = kept.items()
    back = f"of the influence of the token before at {k} token{'s' if k > 1 else ''} back"
    said = f"{label} does not look back at all" if own is None else f"{label} keeps {own:.2g} {back}"
    known = {other: share for other, share in others if share is not None}
    if not known:
        return f"{said}."
    most = max(known, key=known.__getitem__)
    of = "" if len(others) == 1 else f", the most of the other {len(others)}"
    return f"{said}; {most} keeps {known[most]:.2g}{f' {back}' if own is None else ''}{of}."


def _all_kept(rows: Sequence[Mapping[str, Any]]) -> str:
    """The same of every run, where the sentence does not name all."""
    k, kept = _kept(rows)
    if len(kept) < 3:
        return ""
    shares = ", ".join(f"{label} {'nothing' if share is None else f'{share:.2g}'}" for label, share in kept.items())
    return f" Of the influence of the token before there is left at {k} tokens back: {shares}."


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
