"""From which side a table's gradient comes: the input, where rows are looked up, or the output, where they are scored.

A tied table is one parameter, whose gradient autograd hands over as one sum. Its parts exist on the way: every use of
the parameter is an edge of the graph that ends in it. What hangs below the final states is the input side, what lies
between the loss and the states is the output side. Hooks on the nodes before these edges read the parts and change
nothing: the sum that the optimizer sees is the same, bit for bit, as without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
