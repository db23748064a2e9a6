"""One text through a model and back, every number on the way: rows of E, positions, states, scores, loss, gradients.

Takes ids and says nothing of text. The loss is the sum of -ln p(target) over scored targets, in nats, so that its
gradient at a position's scores is exactly p - onehot(target). Scores are V numbers a position: for short texts only.
The gradient of E is split by where the table is used: looked up (input side, only rows that occur) and, tied, scored
against (output side, every row), by scoring with a copy of U that is a leaf of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional

from rowspace.model.language_model import LanguageModel
from rowspace.model.loss import IGNORED

KINDS = ("positions", "attention", "feed-forward", "recurrence", "other layers", "norms", "bias of the head")
"""Parts of a model beside E and U, as `kind_of` names them."""


@dataclass(frozen=True, eq=False)
class Layer:
    """The states at one depth, and what the head would predict from them through the final norm (logit lens)."""

    norm: np.ndarray
    """(T,) lengths of the states."""
    own_row: np.ndarray
    """(T,) cosine of each state to the row of E that it began as: 1 at h0 where nothing is added to it."""
    ids: np.ndarray
    """(T, k) the likeliest next tokens, likeliest first."""
    scores: np.ndarray
    """(T, k) their logits."""
    p: np.ndarray
    """(T, k) their probabilities."""
    nats: np.ndarray
    """(T,) -ln p(target), 0 where none is scored."""


@dataclass(frozen=True)
class Component:
    """Length of the loss's gradient over all parameters of one kind."""

    name: str
    parameters: int
    norm: float


@dataclass(frozen=True, eq=False)
class Gradients:
    """What the loss's gradient is, from the scores back to the rows: lengths, but for `rows`."""

    scores: np.ndarray
    """(T,) |dL/dz_t| = |p_t - onehot(target)|, 0 where none is scored."""
    states: np.ndarray
    """(layers, T) |dL/dh_t| from h0 to the final state."""
    rows: np.ndarray
    """(T, d) dL/dE[x_t] of each lookup; the rows of one id add up."""
    input_side: np.ndarray
    """(V,) length of what each row of E gets for having been looked up: 0 for ids that do not occur."""
    output_side: np.ndarray
    """(V,) length of what each row of U gets for having been scored against."""
    whole: np.ndarray
    """(V,) length of the whole gradient of each row of E: both sides in one where U is E, else the input side."""
    components: tuple[Component, ...]


@dataclass(frozen=True, eq=False)
class Walk:
    """Every step for T positions; arrays in float64. Targets of -100 are not scored."""

    ids: np.ndarray
    targets: np.ndarray
    scale: float
    """Factor on a row where it enters the model."""
    rows: np.ndarray
    """(T, d) E[ids]."""
    added: np.ndarray
    """(T, d) what the position scheme added: h0 - scale * rows; all 0 where it acts elsewhere."""
    h0: np.ndarray
    """(T, d) what the body reads."""
    layers: tuple[Layer, ...]
    """From h0 to the final state, which the head reads."""
    target_scores: np.ndarray
    """(T,) logit of the target, 0 where none is scored."""
    normaliser: np.ndarray
    """(T,) ln sum exp of the logits: ln p = logit - normaliser."""
    ranks: np.ndarray
    """(T,) 1 + tokens that score higher than the target; 0 where none is scored."""
    gradients: Gradients

    @property
    def nats(self) -> np.ndarray:
        """(T,) -ln p(target), 0 where none is scored."""
        return self.final.nats

    @property
    def scored(self) -> np.ndarray:
        """(T,) whether the position has a target."""
        return self.targets != IGNORED

    @property
    def final(self) -> Layer:
        """The layer that the head really reads."""
        return self.layers[-1]


def walk(model: LanguageModel, ids: Int[Tensor, " T"], targets: Int[Tensor, " T"], *, top: int) -> Walk:
    """Every step from `ids` to the loss at `targets` (-100: not scored) and back, with the `top` likeliest tokens.

    The model's mode is left as it was, and no gradient stays on its parameters.
    """
    was_training = model.training
    model.eval()
    try:
        with torch.enable_grad():
            looked_up = model.embedding(ids[None])
            model.position.reach(len(ids))
            h0 = model.position.add(looked_up, None)
            states = model.body(h0, model.position)
            U = model.head.weight.detach().requires_grad_()
            z = functional_call(model.head, {"weight": U}, (states[-1][0],))
            gradients = _backward(model, ids, targets, looked_up, states, U, z)
        with torch.no_grad():
            layers = [_read(model, h[0], None, ids, targets, top) for h in states[:-1]]
            layers.append(_read(model, states[-1][0], z, ids, targets, top))
            ranks, target_scores, normaliser = _ranked(z.double(), targets)
    finally:
        model.train(was_training)
    rows, scale = model.embedding.weight.detach()[ids], model.embedding.scale
    return Walk(
        ids=_array(ids),
        targets=_array(targets),
        scale=scale,
        rows=_array(rows),
        added=_array(h0[0] - looked_up[0]),
        h0=_array(h0[0]),
        layers=tuple(layers),
        target_scores=target_scores,
        normaliser=normaliser,
        ranks=ranks,
        gradients=gradients,
    )


def scatter_add(ids: Int[Tensor, " T"], rows: Float[Tensor, "T d"], V: int) -> Float[Tensor, "V d"]:
    """The gradient of a table from that of its looked-up rows: rows of one id add up, ids that do not occur get 0."""
    return rows.new_zeros(V, rows.shape[1]).index_add_(0, ids, rows)


def kind_of(parameter: str) -> str:
    """Which part of the model a parameter's name belongs to, in words (one of KINDS)."""
    parts = parameter.split(".")
    if parts[0] in ("position", "head"):
        return KINDS[0] if parts[0] == "position" else KINDS[-1]
    if any(part.endswith(("norm", "norms")) for part in parts):
        return "norms"
    named = {"attention": "attention", "feedforward": "feed-forward", "cells": "recurrence"}
    return next((said for part, said in named.items() if part in parts), "other layers")


def _backward(
    model: LanguageModel,
    ids: Tensor,
    targets: Tensor,
    looked_up: Tensor,
    states: list[Tensor],
    U: Tensor,
    z: Tensor,
) -> Gradients:
    loss = functional.cross_entropy(z.double(), targets, ignore_index=IGNORED, reduction="sum")
    tables = (model.embedding.weight, model.head.weight)
    others = {name: p for name, p in model.named_parameters() if all(p is not table for table in tables)}
    found = torch.autograd.grad(loss, [z, U, looked_up, *states, *others.values()], allow_unused=True)
    dz, dU, de, rest = found[0], found[1], found[2][0] * model.embedding.scale, found[3:]
    dh = torch.stack([torch.zeros_like(h[0]) if g is None else g[0] for h, g in zip(states, rest, strict=False)])
    dE = scatter_add(ids, de, len(tables[0]))
    input_side = _lengths(dE)
    whole = dE + dU if model.tied else dE
    return Gradients(
        scores=_lengths(dz),
        states=_lengths(dh),
        rows=_array(de),
        input_side=input_side,
        output_side=_lengths(dU),
        whole=_lengths(whole),
        components=_components(model, whole, dU, dict(zip(others, rest[len(states) :], strict=True))),
    )


def _components(
    model: LanguageModel, dE: Tensor, dU: Tensor, others: Mapping[str, Tensor | None]
) -> tuple[Component, ...]:
    """E and U first, then what lies between them."""
    tables = [Component("E, which is U" if model.tied else "E", dE.numel(), float(dE.double().norm()))]
    if not model.tied:
        tables.append(Component("U", dU.numel(), float(dU.double().norm())))
    sizes = {name: p.numel() for name, p in model.named_parameters()}
    kinds: dict[str, list[Any]] = {}
    for name, gradient in sorted(others.items(), key=lambda entry: KINDS.index(kind_of(entry[0]))):
        kind = kinds.setdefault(kind_of(name), [0, 0.0])
        kind[0] += sizes[name]
        kind[1] += 0.0 if gradient is None else float(gradient.double().square().sum())
    return (*tables, *(Component(name, size, squares**0.5) for name, (size, squares) in kinds.items()))


def _read(model: LanguageModel, h: Tensor, z: Tensor | None, ids: Tensor, targets: Tensor, top: int) -> Layer:
    """A layer's states; `z` are their logits where they are known."""
    if z is None:
        norm: nn.Module = model.body.get_submodule("norm")
        z = model.logits(norm(h))
    log_p = z.double().log_softmax(-1)
    found = z.topk(min(top, z.shape[1]))
    own = functional.cosine_similarity(h.double(), model.embedding.weight[ids].double(), dim=-1)
    nats = -log_p.gather(1, targets.clamp(min=0)[:, None])[:, 0]
    return Layer(
        norm=_lengths(h),
        own_row=_array(own),
        ids=_array(found.indices),
        scores=_array(found.values),
        p=_array(log_p.gather(1, found.indices).exp()),
        nats=_array(nats * (targets != IGNORED)),
    )


def _ranked(z: Tensor, targets: Tensor) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranks and scores of the targets, 0 where there is none, and ln sum exp of every position."""
    keep = targets != IGNORED
    score = z.gather(1, targets.clamp(min=0)[:, None])
    ranks = 1 + (z > score).sum(-1)
    return _array(ranks * keep), _array(score[:, 0] * keep), _array(z.logsumexp(-1))


def _lengths(rows: Float[Tensor, "*N w"]) -> np.ndarray:
    return _array(torch.linalg.vector_norm(rows.double(), dim=-1))


def _array(tensor: Tensor) -> Any:
    found = tensor.detach().cpu()
    return (found.double() if found.is_floating_point() else found).numpy()
