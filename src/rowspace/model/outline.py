"""Models as outlines: shapes and types without numbers, on torch's meta device, whatever they would weigh."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

Module = TypeVar("Module", bound=nn.Module)


@contextmanager
def outlines() -> Iterator[None]:
    """What is built inside has shapes and no memory: V = 200,000 by d = 8,192 costs nothing."""
    with torch.device("meta"), _NoFilling():
        yield


def outline_of(model: Module) -> Module:
    """The model without its numbers; nothing of it is copied but the shapes. Shared tensors stay shared."""
    memo: dict[int, Any] = {}
    for tensor in (*model.parameters(), *model.buffers()):
        bare = torch.empty_like(tensor, device="meta")
        memo[id(tensor)] = nn.Parameter(bare, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else bare
    return copy.deepcopy(model, memo)


class _NoFilling(TorchFunctionMode):
    """Leaves out what would only fill a tensor that holds nothing: for torch that is an import of a second."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name.endswith("_") and not name.startswith("_") and args and getattr(args[0], "is_meta", False):
            return args[0]
        return func(*args, **(kwargs or {}))
