"""Which part of the model does the gradient reach? Its norm in each component, at the audited steps.

A component is E, positions, each block's attention and feed-forward, the gains of norms, the head (untied, and its
bias), or the recurrent body. The squares of the norms add up to the square of the whole gradient's norm. Fixed
positions have no parameters and stand in no row. Norms are those before clipping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

import pytorch_lightning as lightning
import torch
from torch import Tensor

KINDS = {
    "attention": "attention",
    "cross": "cross_attention",
    "feedforward": "feedforward",
    "cells": "recurrence",
}
"""Modules of a block, and how their gradients are called."""


class ComponentsCallback(lightning.Callback):
    """Scalars `gradient/...` at `audits`; the answer `components` at `tables`, from all audits until then.

    `tell(rows)` makes Findings of rows of step, component, norm (see `rowspace.probing.components_telling`).
    """

    def __init__(
        self, *, recorder: Any, audits: frozenset[int], tables: frozenset[int], tell: Callable[..., Any]
    ) -> None:
        self.steps = audits
        self.recorder = recorder
        self._tables = tables
        self._tell = tell
        self._norms: dict[str, Tensor] = {}
        self._rows: list[dict[str, Any]] = []

    @torch.no_grad()
    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:
        if trainer.global_step + 1 in self.steps:
            self._norms = measure_components(pl_module.model.named_parameters())

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        step = trainer.global_step
        if self._norms:
            found = unclipped({name: float(norm) for name, norm in self._norms.items()}, pl_module.grad_norm())
            self._norms = {}
            self.recorder.scalars(step, {f"gradient/{name}": norm for name, norm in found.items()})
            self._rows += [{"step": step, "component": name, "norm": norm} for name, norm in found.items()]
        if step in self._tables and self._rows:
            self.recorder.answer(step, "components", self._tell(self._rows))

    def state_dict(self) -> dict[str, Any]:
        return {"rows": self._rows}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._rows = [dict(row) for row in state_dict["rows"]]


def measure_components(parameters: Iterable[tuple[str, Tensor]]) -> dict[str, Tensor]:
    """Norm of the gradient of each component, in the order in which the model has them; parameters by their names."""
    squares: dict[str, list[Tensor]] = {}
    for name, parameter in parameters:
        gradient = parameter.grad
        if gradient is not None:
            values = gradient.coalesce().values() if gradient.is_sparse else gradient
            squares.setdefault(component_of(name), []).append(torch.linalg.vector_norm(values, dtype=torch.float64))
    return {name: torch.linalg.vector_norm(torch.stack(norms)) for name, norms in squares.items()}


def find_without_gradient(model: Any, batch: Any) -> tuple[list[str], int]:
    """Names of the parameters that a batch gives no gradient, by a backward pass of a copy, and how many there are."""
    made = deepcopy(model).eval()
    with torch.enable_grad():
        nats, _ = made.loss(made(batch.ids, batch.positions, batch.segments, batch.source), batch.targets)
        nats.backward()
    found = dict(made.named_parameters())
    return [name for name, p in found.items() if p.grad is None or not bool(p.grad.abs().sum() > 0)], len(found)


def component_of(parameter: str) -> str:
    """The component of a parameter, by its name: `body.blocks.1.attention.qkv.weight` is `block_2_attention`."""
    first, *path = parameter.split(".")[:-1]
    if first != "body":
        return {"embedding": "E", "position": "positions"}.get(first, first)
    if any("norm" in part for part in path):
        return "norms"
    side = "encoder_" if path[0] == "encoder" else ""
    kind = next((KINDS[part] for part in path if part in KINDS), None)
    number = next((int(part) + 1 for part in path if part.isdigit()), None)
    return f"{side}block_{number}_{kind}" if kind and number else f"{side}body"


def unclipped(norms: Mapping[str, float], whole: float) -> dict[str, float]:
    """The norms before clipping: their squares add up to that of the `whole` gradient's norm, measured before it."""
    clipped = sum(norm**2 for norm in norms.values()) ** 0.5
    return {name: norm * whole / clipped if clipped > 0 else 0.0 for name, norm in norms.items()}
