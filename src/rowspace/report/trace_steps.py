"""A trace as lines: one a position, and one a row of E, for the page and the terminal alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rowspace.report.trace_facts import Trace

CONTEXT = 5
"""Pieces before a prediction that are quoted."""


def find_positions(trace: Trace) -> list[dict[str, Any]]:
    """One entry a position: what was read, what is expected, what came, and what the loss pulls at."""
    walk, found = trace.walk, []
    most = max(float(walk.nats.max()), 1e-9)
    for at, (piece, target) in enumerate(zip(trace.pieces, trace.targets, strict=True)):
        before = trace.pieces[max(0, at + 1 - CONTEXT) : at + 1]
        found.append(
            {
                "at": at,
                "piece": piece,
                "target": target,
                "before": before,
                "cut": at + 1 > CONTEXT,
                "bits": float(walk.nats[at]) / math.log(2),
                "share": float(walk.nats[at]) / most,
                "nats": float(walk.nats[at]),
                "p": math.exp(-float(walk.nats[at])) if target else 0.0,
                "rank": int(walk.ranks[at]),
                "unigram": None if trace.unigram_p is None or not target else float(trace.unigram_p[target.id]),
                "lines": _expected(trace, at),
                "lens": _lens(trace, at),
                "position_norm": float(np.linalg.norm(walk.added[at])),
                "row_norm": float(np.linalg.norm(walk.rows[at])),
            }
        )
    return found


def _expected(trace: Trace, at: int) -> list[dict[str, Any]]:
    """The likeliest next tokens, and the target where it is not among them: logit, probability, dL/dz."""
    final, target = trace.walk.final, trace.targets[at]

    def line(id_: int, score: float, p: float, rank: int) -> dict[str, Any]:
        hit = target is not None and id_ == target.id
        pull = None if target is None else p - hit
        return {
            "id": id_,
            "text": trace.vocabulary[id_],
            "score": score,
            "p": p,
            "pull": pull,
            "rank": rank,
            "hit": hit,
        } | {"unigram": None if trace.unigram_p is None else float(trace.unigram_p[id_])}

    listed = zip(final.ids[at].tolist(), final.scores[at].tolist(), final.p[at].tolist(), strict=True)
    lines = [line(id_, score, p, rank) for rank, (id_, score, p) in enumerate(listed, start=1)]
    if target is not None and not any(one["hit"] for one in lines):
        walk = trace.walk
        lines.append(
            line(target.id, float(walk.target_scores[at]), math.exp(-float(walk.nats[at])), int(walk.ranks[at]))
        )
    return lines


def _lens(trace: Trace, at: int) -> list[dict[str, Any]]:
    """What the head would predict from each layer: the likeliest token and the target's probability."""
    target = trace.targets[at]
    return [
        {
            "text": trace.vocabulary[int(layer.ids[at, 0])],
            "p": float(layer.p[at, 0]),
            "hit": target is not None and int(layer.ids[at, 0]) == target.id,
            "target_p": math.exp(-float(layer.nats[at])),
            "norm": float(layer.norm[at]),
            "own_row": float(layer.own_row[at]),
        }
        for layer in trace.walk.layers
    ]


def find_row_lines(trace: Trace, others: int = 5) -> list[dict[str, Any]]:
    """The gradient of every row that the text holds, then the largest among the others."""
    gradients, ids = trace.walk.gradients, [piece.id for piece in trace.pieces]
    scored = [target.id for target in trace.targets if target]
    held = list(dict.fromkeys([*ids, *scored]))
    beside = gradients.whole if trace.tied else gradients.output_side
    rest = [id_ for id_ in np.argsort(-beside, kind="stable").tolist()[: others + len(held)] if id_ not in held]
    return [
        {
            "id": id_,
            "text": trace.vocabulary[id_],
            "held": id_ in held,
            "read": ids.count(id_),
            "asked": scored.count(id_),
            "input": float(gradients.input_side[id_]),
            "output": float(gradients.output_side[id_]),
            "whole": float(gradients.whole[id_]),
        }
        for id_ in [*held, *rest[:others]]
    ]


def say_other_rows(trace: Trace) -> str:
    """How many rows of E (and U) the loss pulls at, and why."""
    gradients = trace.walk.gradients
    looked_up = int((gradients.input_side > 0).sum())
    scored, whole = int((gradients.output_side > 0).sum()), int((gradients.whole > 0).sum())
    if trace.tied:
        return (
            f"{whole:,} of {trace.V:,} rows get a gradient: {looked_up:,} because they were looked up, and "
            f"{scored:,} because each token was scored against its row, likely or not: U is E here, one tensor."
        )
    return (
        f"Of the {trace.V:,} rows of E {looked_up:,} get a gradient, those that were looked up; the others get exactly "
        f"0. U is a table of its own: {scored:,} of its rows get one, for every token was scored."
    )
