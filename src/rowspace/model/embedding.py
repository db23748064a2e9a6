"""TokenEmbedding: E (V, d), looked up by id. e = E[x] = onehot(x) E, and no one-hot vector is ever built.

Only rows whose ids occur get a gradient here; a repeated id adds its gradients up in one row. The gradient is a dense
(V, d) tensor of zeros elsewhere, or, for optimizers that read it, a sparse one that holds these rows alone.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from rowspace.errors import ConfigError


class TokenEmbedding(nn.Module):
    """Rows of `weight`, times a constant. `sparse` says in which form its gradient comes."""

    def __init__(self, *, weight: Float[Tensor, "V d"], scale: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight)
        self.scale = scale
        self.sparse = False

    def forward(self, ids: Int[Tensor, "*N"]) -> Float[Tensor, "*N d"]:
        """scale * E[ids]. ConfigError names an id that has no row (on a GPU torch would only abort)."""
        V = len(self.weight)
        if ids.numel() and not torch.compiler.is_compiling():
            low, high = (int(extreme) for extreme in torch.aminmax(ids))
            if low < 0 or high >= V:
                raise ConfigError(f"id {low if low < 0 else high} has no row in a table of V={V}; ids are 0..{V - 1}")
        rows = functional.embedding(ids, self.weight, sparse=self.sparse)
        return rows if self.scale == 1 else rows * self.scale

    @torch.no_grad()
    def sample(self, n: int) -> Float[Tensor, "N d"]:
        """At most n rows as they enter the model, of ids spread evenly over the vocabulary."""
        V = len(self.weight)
        return self(torch.arange(min(n, V), device=self.weight.device) * V // min(n, V))
