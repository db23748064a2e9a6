"""Which parameters decay, by name, and the optimizer over them.

Matrices that multiply states decay; norm gains, biases and lookup tables by position do not. E decays where
`decay_embedding` says so, and an untied U always: it multiplies states.
"""

from __future__ import annotations

from typing import Any

from torch import nn
from torch.optim import Optimizer

from rowspace.training.base import OptimizerOption

EMBEDDING = "embedding.weight"


def parameter_groups(model: nn.Module, option: OptimizerOption) -> list[dict[str, Any]]:
    """Two groups, `decay` and `no_decay`: params, their names, weight_decay. A tied tensor stands once, as E's."""
    decay: list[str] = []
    rest: list[str] = []
    parameters = dict(model.named_parameters())
    for name, parameter in parameters.items():
        table = name == EMBEDDING or name.startswith("position.")
        decays = option.decay_embedding if name == EMBEDDING else parameter.ndim >= 2 and not table
        (decay if decays else rest).append(name)
    return [
        {"name": group, "params": [parameters[n] for n in names], "names": names, "weight_decay": weight_decay}
        for group, names, weight_decay in (("decay", decay, option.weight_decay), ("no_decay", rest, 0.0))
        if names
    ]


def build(model: nn.Module, option: OptimizerOption) -> Optimizer:
    """The option's optimizer over the model's groups."""
    return option.build(parameter_groups(model, option))
