"""Which rows get a gradient, and which rows move: an audit of some steps, and a count of every id that is consumed.

Ids are counted at every step, as input and as target. At the audited steps the gradient of each table is read in its
two parts (`sides`), and the table before and after the step is compared. Reads only: the weights are those of a run
that is not audited, bit for bit. An audited step costs about ten passes over each table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rowspace.callbacks.base import Watched
from rowspace.callbacks.cadence import Watcher
from rowspace.callbacks.sides import Sides
from rowspace.geometry.frequency import find_deciles
from rowspace.geometry.rows import measure_norms
from rowspace.geometry.updates import RowSteps, RowTally, measure_step
from rowspace.table import Missing, TokenTable

NO_GRADIENT = Missing("no row got a gradient in this step")


class UpdatesCallback(Watcher):
    """Scalars `updates/{E,U}/...` at `audits`; the answer `updates` at `tables`, from all audits until then.

    `first()` are the tables at the start by name; `tell` makes Findings of the rows by table (see
    `rowspace.probing.updates_telling`).
    """

    def __init__(
        self,
        *,
        recorder: Any,
        watched: Watched,
        audits: frozenset[int],
        tables: frozenset[int],
        first: Callable[[], Mapping[str, Tensor]],
        tell: Callable[..., Any],
    ) -> None:
        super().__init__(recorder=recorder, watched=watched, steps=tables)
        mean = watched.mean
        self._mean = lambda part: None if part is None else mean(part)
        self._audits = audits
        self._first = first
        self._tell = tell
        self._tallies: dict[str, RowTally] = {}
        self._seen: Tensor | None = None
        self._sides: Sides | None = None
        self._before: dict[str, tuple[Tensor, float]] = {}

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        kept = torch.zeros(2, len(pl_module.model.embedding.weight), dtype=torch.int64)
        kept = kept if self._seen is None else self._seen
        self._seen = kept.to(pl_module.model.embedding.weight.device)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        if trainer.global_step + 1 in self._audits:
            self._sides = Sides(_weights(pl_module.model))
            pl_module.trace = self._sides.trace

    @torch.no_grad()
    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:
        if self._sides is not None:
            for name, weight in _weights(pl_module.model).items():
                self._before[name] = (weight.detach().clone(), _shrink(optimizer, weight))

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        self._count(batch)
        if self._sides is not None:
            pl_module.trace = None
            self._sides.close()
            self._audit(trainer.global_step, pl_module.model, self._sides)
            self._sides, self._before = None, {}
        super().on_train_batch_end(trainer, pl_module, outputs, batch, batch_idx)

    def look(self, step: int, tables: Mapping[str, TokenTable], model: Any) -> None:
        assert self._seen is not None
        seen = self._seen.cpu().numpy()
        first = self._first()
        found = {
            name: find_row_numbers(table, self._tallies[name], seen, first.get(name))
            for name, table in tables.items()
            if name in self._tallies
        }
        deciles = find_deciles(next(iter(tables.values())))
        if found and not isinstance(deciles, Missing):
            audits = {name: self._tallies[name].audits for name in found}
            self.recorder.answer(
                step, "updates", self._tell(found, deciles=deciles, watched=self.watched, audits=audits, step=step)
            )

    def state_dict(self) -> dict[str, Any]:
        tallies = {name: {"audits": tally.audits, "sums": tally.sums} for name, tally in self._tallies.items()}
        return {**super().state_dict(), "seen": None if self._seen is None else self._seen.cpu(), "tallies": tallies}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        self._seen = state_dict["seen"]
        self._tallies = {name: RowTally(t["audits"], dict(t["sums"])) for name, t in state_dict["tallies"].items()}

    def _count(self, batch: Any) -> None:
        """Add what the step consumed, without waiting for the device."""
        assert self._seen is not None
        for ids in (batch.ids, batch.source):
            if ids is not None:
                flat = ids.flatten()
                self._seen[0].scatter_add_(0, flat, flat.new_ones(1).expand(len(flat)))
        targets = batch.targets.flatten()
        self._seen[1].scatter_add_(0, targets.clamp(min=0), (targets >= 0).long())

    @torch.no_grad()
    def _audit(self, step: int, model: Any, sides: Sides) -> None:
        numbers: dict[str, float | Missing] = {}
        for name, weight in _weights(model).items():
            before, shrink = self._before[name]
            parts = {f"{side}_gradient": self._mean(sides.part(name, side)) for side in ("input", "output")}
            rows = measure_step(before, weight.detach(), **parts, shrink=shrink)
            self._tallies.setdefault(name, RowTally()).add(rows)
            numbers |= {f"updates/{name}/{key}": value for key, value in name_numbers(rows).items()}
        self.recorder.scalars(step, numbers)


def name_numbers(rows: RowSteps) -> dict[str, float | Missing]:
    """Metric keys of one audited step of one table, without their beginning."""
    share = rows.output_share()
    lengths = {key: float(getattr(rows, key).mean()) for key in ("with_gradient", "without_gradient", "by_decay")}
    return {
        **rows.shares(),
        "output_energy_share": NO_GRADIENT if share is None else share,
        **{f"moved_{key}": value for key, value in lengths.items()},
    }


def find_row_numbers(table: TokenTable, tally: RowTally, seen: np.ndarray, first: Tensor | None) -> dict[str, Any]:
    """Numbers of each row, (V,) by name: seen_as_input, seen_as_target, the means of its audited steps, norm, and
    drift, its distance from the start, where that is known."""
    numbers = {"seen_as_input": seen[0], "seen_as_target": seen[1], **tally.means()}
    numbers["norm"] = measure_norms(table.vectors)
    if first is not None:
        numbers["drift"] = measure_norms(table.vectors - first.numpy())
    return numbers


def _weights(model: Any) -> dict[str, Tensor]:
    """E, and U unless it is the very same parameter."""
    E, U = model.embedding.weight, model.head.weight
    return {"E": E} if U is E else {"E": E, "U": U}


def _shrink(optimizer: Any, weight: Tensor) -> float:
    """What this step's decay takes off each row: lr * decay of the group that holds the table."""
    for group in optimizer.param_groups:
        if any(parameter is weight for parameter in group["params"]):
            return group["lr"] * group["weight_decay"]
    return 0.0
