"""What one optimizer step did to each row of a table, and what audited steps say together.

A gradient is not an update. The input side gives gradients to the rows of the batch alone, the output side to every
row; then momentum moves rows whose gradient is zero, and decoupled decay shrinks all of them. A row's step is cut by
what is known of it: `by_decay` = lr * decay * row, the rest `with_gradient` where the row has a gradient now, and
`without_gradient` where it has none: momentum alone. The momentum inside `with_gradient` is not told apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rowspace.geometry.frequency import DECILES, UNSEEN

ROUNDING = 4 * float(np.finfo(np.float32).eps)
"""Of a row's norm: a step that decay explains up to this is decay."""
FIELDS = (
    "input_energy",
    "output_energy",
    "input_hit",
    "output_hit",
    "moved",
    "with_gradient",
    "without_gradient",
    "by_decay",
)


@dataclass(frozen=True, eq=False)
class RowSteps:
    """One step of one table, a number a row: (V,) float64 each, `moved` 0 or 1.

    Energies are squared norms of the row's gradient from the input and from the output side; lengths are Euclidean.
    """

    input_energy: Tensor
    output_energy: Tensor
    with_gradient: Tensor
    without_gradient: Tensor
    by_decay: Tensor
    moved: Tensor

    @property
    def input_hit(self) -> Tensor:
        """1 for a row with a gradient from the input side, (V,) float64."""
        return (self.input_energy > 0).double()

    @property
    def output_hit(self) -> Tensor:
        """1 for a row with a gradient from the output side, (V,) float64."""
        return (self.output_energy > 0).double()

    def shares(self) -> dict[str, float]:
        """Shares of the rows that got a gradient from each side, that moved, and that moved without any gradient."""
        rows = {
            "rows_with_input_gradient": self.input_hit,
            "rows_with_output_gradient": self.output_hit,
            "rows_moved": self.moved,
            "rows_moved_without_gradient": self.moved * (1 - self.input_hit) * (1 - self.output_hit),
        }
        return {name: float(which.mean()) for name, which in rows.items()}

    def output_share(self) -> float | None:
        """Share of the gradient's energy that came from the output side; None where there is no gradient."""
        both = float(self.input_energy.sum() + self.output_energy.sum())
        return float(self.output_energy.sum()) / both if both > 0 else None


def measure_step(
    before: Tensor, after: Tensor, *, input_gradient: Tensor | None, output_gradient: Tensor | None, shrink: float
) -> RowSteps:
    """`before` and `after` a step (V, d); gradients (V, d) from each side, None where that side does not read the
    table; `shrink` = lr * decay, what the optimizer takes off a row whatever its gradient."""
    inside, outside = (_energy(gradient, like=before) for gradient in (input_gradient, output_gradient))
    delta = after - before
    moved = (delta.abs().amax(1) > 0).double()
    sizes = _energy(before, like=before).sqrt()
    rest = _energy(delta + shrink * before if shrink else delta, like=before).sqrt()
    rest = torch.where(rest > (ROUNDING * sizes if shrink else 0.0), rest, 0.0)
    touched = (inside > 0) | (outside > 0)
    return RowSteps(
        input_energy=inside,
        output_energy=outside,
        with_gradient=torch.where(touched, rest, 0.0),
        without_gradient=torch.where(touched, 0.0, rest),
        by_decay=shrink * sizes,
        moved=moved,
    )


def _energy(rows: Tensor | None, *, like: Tensor) -> Tensor:
    """Squared norm of each row, (V, d) -> (V,) float64."""
    if rows is None:
        return torch.zeros(len(like), dtype=torch.float64, device=like.device)
    return rows.double().square_().sum(1)


@dataclass(eq=False)
class RowTally:
    """Audited steps of one table added up: `sums` (V,) float64 by the names in FIELDS."""

    audits: int = 0
    sums: dict[str, Tensor] = field(default_factory=dict)

    def add(self, step: RowSteps) -> None:
        """Count one more step."""
        self.audits += 1
        for name in FIELDS:
            value = getattr(step, name).cpu()
            self.sums[name] = self.sums[name] + value if name in self.sums else value

    def means(self) -> dict[str, np.ndarray]:
        """An audited step on average, (V,) float64 by the names in FIELDS; hits and `moved` are shares of the steps.
        Nothing where none was audited."""
        return {name: (value / self.audits).numpy() for name, value in self.sums.items()}


def find_means_by_band(numbers: Mapping[str, np.ndarray], deciles: np.ndarray) -> list[dict[str, Any]]:
    """Means of `numbers` (V,) in each tenth of the vocabulary, rarest first, after the ids never seen (decile 0): one
    row a band that holds a token."""
    rows = []
    for decile in (UNSEEN, *range(1, DECILES + 1)):
        own = deciles == decile
        if own.any():
            means = {name: float(values[own].mean(dtype=np.float64)) for name, values in numbers.items()}
            rows.append({"decile": decile, "tokens": int(own.sum()), **means})
    return rows
