"""Gradient norm of a state with respect to an input k positions earlier, against k. Pure: takes a callable.

For a random direction v ~ N(0, I) the gradient of v . h_t with respect to the input at t - k is J^T v, J the Jacobian
of h_t with respect to that input, and the mean of ||J^T v||^2 over v is the squared Frobenius norm of J.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor


def measure_gradient_norms(
    states: Callable[[Tensor], Tensor],
    inputs: Float[Tensor, "B T d"],
    *,
    draws: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> Float[Tensor, "N T"]:
    """||d(v . h_{T-1}) / d x_{T-1-k}|| for k = 0 .. T-1, one row for each text and direction (N = B * draws).

    `states` maps inputs (B, T, d) to states of the same shape and must treat the texts apart. The gradients that
    parameters may hold are left alone.
    """
    generator = torch.Generator().manual_seed(seed)
    found = []
    for done in range(draws):
        with torch.enable_grad():  # a watcher of a run has switched them off
            x = inputs.detach().clone().requires_grad_()
            last = states(x)[:, -1]
            v = torch.randn(last.shape, generator=generator, dtype=last.dtype).to(last.device)
            (gradient,) = torch.autograd.grad((last * v).sum(), x)
        found.append(gradient.double().norm(dim=-1).flip(1).cpu())
        if progress is not None:
            progress(done + 1, draws)
    return torch.cat(found)
