"""Part 1, 12.1: the table is a learned matrix, and a look-up is a product with a one-hot vector."""

from __future__ import annotations

import torch

from rowspace.claims.base import Asked, Verdict, at_most, claim
from rowspace.model.laws import measure_one_hot_error


@claim(
    "Part 1, 12.1",
    "Looking a row up is multiplying the table by the token's one-hot vector.",
    by="model.laws.measure_one_hot_error",
)
def lookup_is_a_one_hot_product(asked: Asked) -> Verdict:
    model = asked.subject.model
    ids = torch.arange(0, model.vocab_size, max(1, model.vocab_size // 64))
    return at_most(
        measure_one_hot_error(model.embedding, ids),
        0.0,
        what="largest difference of a number of a row",
        why=f"{len(ids)} rows, spread over the vocabulary, are the same either way, bit for bit.",
    )
