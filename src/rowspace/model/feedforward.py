"""Feed-forward nets of a block: each position on its own. Both end in a map called `down`."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from rowspace.model.initialization import linear


class GELU(nn.Module):
    """down(gelu(up(x))) (Hendrycks & Gimpel 2016)."""

    def __init__(
        self, *, d: int, expansion: float, bias: bool, std: float, out_std: float, generator: torch.Generator
    ) -> None:
        super().__init__()
        hidden = max(round(expansion * d), 1)
        self.up = linear(d, hidden, bias=bias, std=std, generator=generator)
        self.down = linear(hidden, d, bias=bias, std=out_std, generator=generator)

    def forward(self, x: Float[Tensor, "*N d"]) -> Float[Tensor, "*N d"]:
        """Position by position."""
        return self.down(functional.gelu(self.up(x)))


class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)) (Shazeer 2020); hidden width two thirds of GELU's, rounded up to a multiple of 8."""

    def __init__(
        self, *, d: int, expansion: float, bias: bool, std: float, out_std: float, generator: torch.Generator
    ) -> None:
        super().__init__()
        hidden = max(-(-round(expansion * d * 2 / 3) // 8), 1) * 8
        self.gate_up = linear(d, 2 * hidden, bias=bias, std=std, generator=generator)
        self.down = linear(hidden, d, bias=bias, std=out_std, generator=generator)

    def forward(self, x: Float[Tensor, "*N d"]) -> Float[Tensor, "*N d"]:
        """Position by position."""
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(functional.silu(gate) * up)


FEEDFORWARDS: dict[str, type[GELU] | type[SwiGLU]] = {"gelu": GELU, "swiglu": SwiGLU}
