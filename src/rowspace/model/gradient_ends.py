"""Where the gradient of a loss ends: at the parameters, and at nothing before the ids.

Claims and tests call the same functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.model.language_model import LanguageModel


def find_leaves(loss: Tensor) -> list[Tensor]:
    """Every tensor at which a backward pass of the loss would leave a gradient, each once."""
    waiting, met, leaves = [loss.grad_fn], {loss.grad_fn}, {}
    while waiting:
        node = waiting.pop()
        if node is None:
            continue
        variable = getattr(node, "variable", None)
        if variable is not None:
            leaves[id(variable)] = variable
        for following, _ in node.next_functions:
            if following not in met:
                met.add(following)
                waiting.append(following)
    return list(leaves.values())


def find_strays(model: LanguageModel, ids: Tensor, targets: Tensor, source: Tensor | None = None) -> list[Tensor]:
    """Leaves of the loss on these windows that are no parameter of the model: what the gradient reaches beyond it."""
    own = {id(parameter) for parameter in model.parameters()}
    with torch.enable_grad():
        loss, _ = model.loss(model(ids, source=source), targets)
    return [leaf for leaf in find_leaves(loss) if id(leaf) not in own]


def find_trainable(thing: Any) -> list[str]:
    """Attributes of an object that training could move: tensors and modules, in containers too. Names with their path.

    A tokenizer has none: it is numbers, strings and a library that differentiates nothing.
    """
    found: list[str] = []
    waiting = [(name, value) for name, value in vars(thing).items()]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, Tensor | nn.Module):
            found.append(name)
        elif isinstance(value, Mapping):
            waiting += [(f"{name}.{key}", one) for key, one in value.items() if not isinstance(one, int | str | bytes)]
        elif isinstance(value, list | tuple | set | frozenset) and not all(
            type(one) in (int, str, bytes) for one in value
        ):
            waiting += [(f"{name}.{place}", one) for place, one in enumerate(value)]
    return sorted(found)
