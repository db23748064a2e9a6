"""Head: logits = c h U^T + b with U stored (V, d). Tied, U is the embedding's own parameter."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float, Int, Real
from torch import Tensor, nn
from torch.nn import functional

from rowspace.model.loss import sum_nats, token_nats


class Head(nn.Module):
    """One row of U a token; `weight` may be a parameter that the embedding owns too."""

    bias: nn.Parameter | None

    def __init__(self, *, weight: Float[Tensor, "V d"], bias: bool, logit_scale: float) -> None:
        super().__init__()
        self.weight = weight if isinstance(weight, nn.Parameter) else nn.Parameter(weight)
        self.bias = nn.Parameter(torch.zeros(len(weight))) if bias else None
        self.logit_scale = logit_scale

    @torch.no_grad()
    def start_bias(self, counts: Real[np.ndarray, " V"]) -> None:
        """b = ln of each token's share of `counts`, each counted once more, so that an unseen token has one too."""
        assert self.bias is not None
        shares = (np.asarray(counts, dtype=np.float64) + 1) / (counts.sum() + len(counts))
        self.bias.copy_(torch.from_numpy(np.log(shares)))

    def forward(self, h: Float[Tensor, "*N d"]) -> Float[Tensor, "*N V"]:
        """All logits at once: N x V numbers, for few states only. Losses go through `sum_nats` and `token_nats`."""
        return functional.linear(self._scaled(h), self.weight, self.bias)

    def sum_nats(self, h: Float[Tensor, "N d"], targets: Int[Tensor, " N"]) -> Float[Tensor, ""]:
        """Sum of -ln p(target), trainable; targets of -100 are not scored."""
        return sum_nats(self._scaled(h), self.weight, self.bias, targets)

    def token_nats(self, h: Float[Tensor, "N d"], targets: Int[Tensor, " N"]) -> Float[Tensor, " N"]:
        """-ln p(target) of each state, 0 where the target is -100; no gradient."""
        return token_nats(self._scaled(h), self.weight, self.bias, targets)

    def _scaled(self, h: Tensor) -> Tensor:
        return h if self.logit_scale == 1 else h * self.logit_scale
