"""Laws of the two ends of a live model: what a look-up is, what its gradient is, what the loss does to scores.

Claims and tests call the same functions. Each compares what the module does with what the formula says, written out
anew here.
"""

from __future__ import annotations

import torch
from jaxtyping import Int
from torch import Tensor

from rowspace.model.embedding import TokenEmbedding


@torch.no_grad()
def measure_one_hot_error(embedding: TokenEmbedding, ids: Int[Tensor, " N"]) -> float:
    """Largest |E[x] - onehot(x) E| of the rows as they enter, scale included. N x V numbers."""
    one_hot = torch.zeros(len(ids), len(embedding.weight)).to(embedding.weight)
    one_hot[torch.arange(len(ids)), ids] = 1
    return float((embedding(ids) - one_hot @ embedding.weight * embedding.scale).abs().max())
