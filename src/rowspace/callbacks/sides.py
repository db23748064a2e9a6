"""From which side a table's gradient comes: the input, where rows are looked up, or the output, where they are scored.

A tied table is one parameter, whose gradient autograd hands over as one sum. Its parts exist on the way: every use of
the parameter is an edge of the graph that ends in it. What hangs below the final states is the input side, what lies
between the loss and the states is the output side. Hooks on the nodes before these edges read the parts and change
nothing: the sum that the optimizer sees is the same, bit for bit, as without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import Node


class Sides:
    """The parts of the gradients of `tables` over the backward passes of one step; dense (V, d) each."""

    def __init__(self, tables: Mapping[str, Tensor]) -> None:
        self._tables = dict(tables)
        self._parts: dict[tuple[str, str], Tensor] = {}
        self._handles: list[Any] = []

    def trace(self, states: Tensor, loss: Tensor) -> None:
        """Watch the backward pass of a loss that was made from the final states. Call it before that pass."""
        below, above = states.grad_fn, loss.grad_fn
        for side, root, stop in (("input", below, None), ("output", above, below)):
            for name, table in self._tables.items():
                for node, place in find_uses(root, table, stop=stop):
                    self._handles.append(node.register_hook(self._reader(name, side, place)))

    def part(self, name: str, side: str) -> Tensor | None:
        """The gradient of a table from one side, over all passes; None where that side does not use the table."""
        found = self._parts.get((name, side))
        return found.to_dense() if found is not None and found.is_sparse else found

    def close(self) -> None:
        """Take the hooks away."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def _reader(self, name: str, side: str, place: int) -> Any:
        def read(gradients: Any, _: Any) -> None:
            part = gradients[place]
            if part is not None:
                known = self._parts.get((name, side))
                # the very tensor, not a view of its memory: autograd then leaves it alone and clips a copy
                self._parts[name, side] = part if known is None else known + part

        return read


def find_uses(root: Any, table: Tensor, *, stop: Any) -> Iterator[tuple[Node, int]]:
    """Nodes reached from `root` with an edge into `table`, and which of their edges it is; not beyond `stop`."""
    waiting, met = [root], {root, stop}
    if root is None or root is stop:
        return
    while waiting:
        node = waiting.pop()
        for place, (following, _) in enumerate(node.next_functions):
            if following is None:
                continue
            if getattr(following, "variable", None) is table:
                yield node, place
            elif following not in met:
                met.add(following)
                waiting.append(following)


@dataclass(frozen=True, eq=False)
class Passed:
    """What one backward pass of the summed nats of a batch leaves on the way: `ids` (N,) of all look-ups, `looked_up`
    (N, d) the gradient of each, and `parts` of the tables by (table, side), (V, d) each."""

    ids: Tensor
    looked_up: Tensor
    parts: Mapping[tuple[str, str], Tensor]

    def whole(self, name: str) -> Tensor:
        """The gradient of a table from both sides."""
        return sum(part for (table, _), part in self.parts.items() if table == name)  # type: ignore[return-value]

    def scatter_error(self) -> float:
        """Largest |dL/dE - sum over occurrences of dL/de| on the input side, over the largest number of dL/dE."""
        found = self.parts["E", "input"]
        added = torch.zeros_like(found)
        for id_ in self.ids.unique():
            added[id_] = self.looked_up[self.ids == id_].sum(0)
        return float((found - added).abs().max() / found.abs().max())


def pass_back(model: Any, batch: Any) -> Passed:
    """One backward pass of a copy of the model in evaluation mode; the model is left without a gradient."""
    made = deepcopy(model).eval()
    looked_up: list[tuple[Tensor, Tensor]] = []

    def keep(module: Any, given: Any, rows: Tensor) -> None:
        rows.retain_grad()
        looked_up.append((given[0], rows))

    E, U = made.embedding.weight, made.head.weight
    sides = Sides({"E": E} if U is E else {"E": E, "U": U})
    with torch.enable_grad():
        made.embedding.register_forward_hook(keep)
        states = made(batch.ids, batch.positions, batch.segments, batch.source)
        nats, _ = made.loss(states, batch.targets)
        sides.trace(states, nats)
        nats.backward()
    sides.close()
    parts = {(name, side): sides.part(name, side) for name in ("E", "U") for side in ("input", "output")}
    return Passed(
        ids=torch.cat([ids.flatten() for ids, _ in looked_up]),
        looked_up=torch.cat([_gradient(rows).flatten(0, -2) * made.embedding.scale for _, rows in looked_up]),
        parts={key: part for key, part in parts.items() if part is not None},
    )


def _gradient(rows: Tensor) -> Tensor:
    return torch.zeros_like(rows) if rows.grad is None else rows.grad
