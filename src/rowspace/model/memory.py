"""What memory a training step needs, by what it is for: an estimate from shapes, before anything is allocated.

Knows the model and not the optimizer: how many numbers that keeps a parameter is handed in.
"""

from __future__ import annotations

import torch

from rowspace.model.language_model import LanguageModel
from rowspace.model.loss import buffer_for
from rowspace.model.products import Products

TRANSIENT = 3
"""Pieces of the largest activation's size that live for a moment in the backward pass: its gradient, what that came
from and what it becomes."""


def logits_memory(model: LanguageModel, states: int) -> dict[str, int]:
    """Bytes of the logits of N states: `flat` all N x V at once, `buffer` what the chunked loss holds instead."""
    weight = model.head.weight
    h = torch.empty(states, model.d, dtype=weight.dtype, device="meta")
    return {"flat": states * len(weight) * weight.element_size(), "buffer": buffer_for(h, len(weight)).nbytes}


def peak_memory_parts(
    model: LanguageModel, products: Products, *, kept_per_parameter: int, sparse_table: bool, program: int
) -> dict[str, int]:
    """Bytes at the fullest moment of a step, by part; their sum is the estimate.

    The loss has a gradient of U of its own before it is scaled; tied, the scaled one, that of the lookup and their sum
    stand beside it for a moment. `products` are those of one micro-batch, `kept_per_parameter` the numbers that the
    optimizer keeps beside each parameter, `sparse_table` that E's gradient holds the batch's rows alone; `program` is
    everything else in the process: Python, its libraries, the text.
    """
    weights = sum(p.nbytes for p in model.parameters())
    E, states = model.embedding.weight, products.windows * products.T
    row = model.d * E.element_size()
    table = min(E.nbytes, states * (row + 8)) if sparse_table else E.nbytes
    return {
        "parameters": weights,
        "gradients": weights - E.nbytes + table,
        "optimizer": kept_per_parameter * weights,
        "activations": products.kept,
        "backward": TRANSIENT * products.largest,
        "loss": logits_memory(model, states)["buffer"] + states * row + (3 if model.tied else 1) * E.nbytes,
        "program": program,
    }
