"""Which parameters decay, by name, the optimizer over them, and the clipping of their gradients.

Matrices that multiply states decay; norm gains, biases and lookup tables by position do not. E has a group of its own:
it decays where `decay_embedding` says so and has a learning rate of its own. An untied U always decays: it multiplies
states.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.optim import Optimizer

from rowspace.training.base import OptimizerOption
from rowspace.training.optimizers.sgd import SGD

EMBEDDING = "embedding.weight"


def parameter_groups(model: nn.Module, option: OptimizerOption) -> list[dict[str, Any]]:
    """Groups `decay`, `no_decay` and `embedding` (a tied tensor stands once, as E): params, their names, weight_decay,
    lr and whether the gradient is sparse. The first group has the option's own learning rate."""
    decay: list[str] = []
    rest: list[str] = []
    table: list[str] = []
    parameters = dict(model.named_parameters())
    for name, parameter in parameters.items():
        matrix = parameter.ndim >= 2 and not name.startswith("position.")
        (table if name == EMBEDDING else decay if matrix else rest).append(name)
    table_decay = option.weight_decay if option.decay_embedding else 0.0
    table_lr = option.lr * option.embedding_lr_factor
    return [
        {
            "name": group,
            "params": [parameters[n] for n in names],
            "names": names,
            "weight_decay": weight_decay,
            "lr": lr,
            "sparse": names is table and option.sparse_embedding,
        }
        for group, names, weight_decay, lr in (
            ("decay", decay, option.weight_decay, option.lr),
            ("no_decay", rest, 0.0, option.lr),
            ("embedding", table, table_decay, table_lr),
        )
        if names
    ]


def build(model: nn.Module, option: OptimizerOption) -> Optimizer:
    """The option's optimizer over the model's groups, and the table's gradient in the form that it reads."""
    model.embedding.sparse = option.sparse_embedding  # type: ignore[union-attr, assignment]
    return option.build(parameter_groups(model, option))


@torch.no_grad()
def measure_plain_step_error(model: Any, batch: Any, *, lr: float) -> tuple[float, int]:
    """Largest |w' - (w - lr g)| over all parameters after one step of optimizer=sgd on the mean loss of a batch, over
    the largest |lr g|, and how many rows of E moved. Taken by a copy."""
    settings = {"momentum": 0.0, "weight_decay": 0.0, "decay_embedding": False, "embedding_lr_factor": 1.0}
    made = deepcopy(model).eval()
    with torch.enable_grad():
        nats, n = made.loss(made(batch.ids, batch.positions, batch.segments, batch.source), batch.targets)
        (nats / n).backward()
    steps = {name: (p.detach().clone(), lr * p.grad) for name, p in made.named_parameters() if p.grad is not None}
    build(made, SGD.model_validate({"name": "sgd", "lr": lr, **settings})).step()
    after = {name: p.detach() for name, p in made.named_parameters()}
    error = max(float((after[name] - (before - step)).abs().max()) for name, (before, step) in steps.items())
    largest = max(float(step.abs().max()) for _, step in steps.values())
    moved = (after[EMBEDDING] != steps[EMBEDDING][0]).any(1)
    return error / largest, int(moved.sum())


def clip_gradients(parameters: Iterable[nn.Parameter], limit: float) -> Float[Tensor, ""]:
    """Scale all gradients so that their L2 norm together is at most `limit`; the norm before that.

    A sparse gradient lists a row once for each time that its id occurs: the rows are added up first, since the norm of
    the parts is not that of the sum.
    """
    gradients = [_values(parameter) for parameter in parameters if parameter.grad is not None]
    norm = nn.utils.get_total_norm(gradients)
    factor = torch.clamp(limit / (norm + 1e-6), max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    return norm


def _values(parameter: nn.Parameter) -> Tensor:
    """The numbers of the gradient, to be read and written in place."""
    assert parameter.grad is not None
    if not parameter.grad.is_sparse:
        return parameter.grad
    parameter.grad = parameter.grad.coalesce()
    return parameter.grad.values()
