"""Normalization of states over their width d: RMSNorm (Zhang & Sennrich 2019) and LayerNorm (Ba et al. 2016).

RMSNorm divides by the root mean square and keeps every direction equal; LayerNorm also takes the mean out, which
singles out the direction (1, ..., 1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

EPS = 1e-6
"""Added to the mean square. Rows of E may start as small as 0.004, so it stays well below their square."""


class RMSNorm(nn.Module):
    """x / rms(x) * gain."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x: Float[Tensor, "*N d"]) -> Float[Tensor, "*N d"]:
        """Rows of root mean square 1, times the gain."""
        if x.device.type == "cpu" and x.dtype == self.weight.dtype:
            return _RMSNorm.apply(x, self.weight)
        return functional.rms_norm(x, self.weight.shape, self.weight.to(x.dtype), EPS)


class _RMSNorm(torch.autograd.Function):
    """The same function in half the passes over memory that torch's takes on a CPU. No second derivative."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        norm = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        inverse = norm.square_().div_(x.shape[-1]).add_(EPS).rsqrt_()
        ctx.save_for_backward(x, weight, inverse)
        return (x * inverse).mul_(weight)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        x, weight, inverse = ctx.saved_tensors
        d = x.shape[-1]
        product = (g * x).reshape(-1, d)
        d_weight = product.t() @ inverse.reshape(-1)
        along = (product @ weight).reshape(inverse.shape).mul_(inverse.pow(3)).div_(d)
        d_x = (g * weight).mul_(inverse).addcmul_(x, along, value=-1)
        return d_x, d_weight


def layer_norm(d: int) -> nn.Module:
    """(x - mean(x)) / std(x) * gain + offset."""
    return nn.LayerNorm(d, eps=EPS)


NORMS: dict[str, Callable[[int], nn.Module]] = {"rmsnorm": RMSNorm, "layernorm": layer_norm}
