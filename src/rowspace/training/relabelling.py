"""Ids are names and not numbers: another numbering of the tokens, with the rows moved alike, is the same run.

Claims and tests call the same function. In float64, so that only the order of sums differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy

import torch
from jaxtyping import Int
from torch import Tensor

from rowspace.data.batch import NOT_SCORED, Batch
from rowspace.model.language_model import LanguageModel


def relabelled(model: LanguageModel, new: Int[Tensor, " V"]) -> LanguageModel:
    """A copy in which the row of id i stands at new[i], in E, in U and in the head's bias."""
    made = deepcopy(model)
    tables = {id(p): p for p in (made.embedding.weight, made.head.weight, made.head.bias) if p is not None}
    with torch.no_grad():
        for table in tables.values():  # a tied table moves once
            table[new] = table.clone()
    return made


def relabelled_batch(batch: Batch, new: Int[Tensor, " V"]) -> Batch:
    """The batch with id i called new[i]."""
    scored = batch.targets != NOT_SCORED
    targets = torch.where(scored, new[batch.targets.clamp(min=0)], batch.targets)
    source = None if batch.source is None else new[batch.source]
    return batch._replace(ids=new[batch.ids], targets=targets, source=source)


def measure_relabelling(
    model: LanguageModel,
    batches: Sequence[Batch],
    train: Callable[[LanguageModel, Sequence[Batch]], list[float]],
    *,
    seed: int,
) -> float:
    """Largest difference of a loss, in nats, between training on the batches as they are and with all ids permuted.

    `train` trains a copy of the model that it is given, and returns the loss of each step.
    """
    new = torch.randperm(model.vocab_size, generator=torch.Generator().manual_seed(seed))
    wide = deepcopy(model).double()
    plain = train(wide, batches)
    named_anew = train(relabelled(wide, new), [relabelled_batch(batch, new) for batch in batches])
    return max(abs(one - other) for one, other in zip(plain, named_anew, strict=True))
