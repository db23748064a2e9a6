"""How weights start, always from an explicit generator, and what the first loss must then be.

Final states have root mean square 1 (a norm stands at the end of every body), so that a first logit h.u has the
deviation s = c std(U) sqrt(d), and the first loss is ln V + s^2 / 2 as long as no logit stands out. A row that meets
itself stands out: tied, h holds E[x], and its logit is as large as c |u| sqrt(d) = c std(U) d. A bias that starts at
the log frequencies puts the unigram entropy in the place of ln V.
"""

from __future__ import annotations

from math import log, sqrt
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils import skip_init


def normal(rows: int, columns: int, *, std: float, generator: torch.Generator) -> Float[Tensor, "rows columns"]:
    """Independent N(0, std^2) entries."""
    return torch.empty(rows, columns).normal_(std=std, generator=generator)


def uniform(rows: int, columns: int, *, std: float, generator: torch.Generator) -> Float[Tensor, "rows columns"]:
    """Independent uniform entries of deviation std."""
    bound = sqrt(3) * std
    return torch.empty(rows, columns).uniform_(-bound, bound, generator=generator)


def orthogonal(rows: int, columns: int, *, std: float, generator: torch.Generator) -> Float[Tensor, "rows columns"]:
    """Orthogonal columns (rows, where there are fewer of them), entries of root mean square std."""
    tall = normal(max(rows, columns), min(rows, columns), std=1.0, generator=generator)
    q, r = torch.linalg.qr(tall)
    q = q * r.diagonal().sign()
    q = q if rows >= columns else q.t()
    return (q * (std * sqrt(max(rows, columns)))).contiguous()


def linear(inputs: int, outputs: int, *, bias: bool, std: float, generator: torch.Generator) -> nn.Linear:
    """A linear map of N(0, std^2) weights and zero bias. torch's own start would draw from the global generator."""
    device = torch.get_default_device()  # else skip_init takes the CPU, also where shapes alone are asked (meta)
    layer = cast(nn.Linear, skip_init(nn.Linear, inputs, outputs, bias=bias, device=device))
    with torch.no_grad():
        layer.weight.normal_(std=std, generator=generator)
        if bias:
            layer.bias.zero_()
    return layer


def deviation(weight: Float[Tensor, "V d"]) -> float:
    """Root mean square of the entries; 1 on the meta device, which has shapes and no values."""
    return 1.0 if weight.is_meta else float(weight.square().mean().sqrt())


def first_logit_scale(weight: Float[Tensor, "V d"]) -> float:
    """The largest c <= 1 for which the first logits stay moderate: c |u| sqrt(d) <= ln(V / 20) (at least 1).

    |u| is the root mean square norm of a row. One logit of ln(V / 20) adds at most ln(1.05) = 0.05 nats.
    """
    V, d = weight.shape
    longest = deviation(weight) * d
    return min(1.0, max(log(V / 20), 1.0) / longest)


def first_loss(weight: Float[Tensor, "V d"], logit_scale: float, bias: Float[Tensor, " V"] | None = None) -> float:
    """Expected nats a token before any training: ln V + s^2 / 2.

    With a bias, H + s^2 / 2, where H is the entropy of softmax(b) and targets fall as it says; ln V when b is 0.
    """
    V, d = weight.shape
    s = logit_scale * deviation(weight) * sqrt(d)
    if bias is None or bias.is_meta:
        return log(V) + s**2 / 2
    log_shares = bias.double().log_softmax(0)
    return float(-(log_shares.exp() @ log_shares)) + s**2 / 2
