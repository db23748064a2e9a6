"""Head and loss in one, chunk by chunk of tokens: N x V logits never stand in memory.

A chunk's logits go into one reused buffer, become probabilities there, and leave as dh and an addition to dU, all in
the forward pass; the backward pass only scales. Gradients are those of sum_n -ln softmax(h_n U^T + b)[y_n]:
dz = p - onehot(y), dh = dz U, dU = dz^T h, db = sum dz.

torch's own `linear_cross_entropy` (batch_chunk_size=512) does the same in more passes over the buffer: 0.74 to 0.84 of
the matrix-multiply rate where this has 0.82 to 0.90 (one thread, V 4k to 32k); `scripts/bench` measures both.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

IGNORED = -100
"""A target that is not scored."""
BUFFER = 2**24
"""Logits in the buffer at most (64 MB in float32)."""
SMALLEST = 1e-30
"""Below this a float32 probability has lost digits: its logarithm is taken another way."""


def sum_nats(
    h: Float[Tensor, "N d"], weight: Float[Tensor, "V d"], bias: Float[Tensor, " V"] | None, targets: Int[Tensor, " N"]
) -> Float[Tensor, ""]:
    """Sum of -ln p(target) over targets that are not -100, with gradients for h, weight and bias."""
    if not torch.is_grad_enabled():
        return token_nats(h, weight, bias, targets).sum()
    return _SumNats.apply(in_autocast_type(h), weight, bias, targets)


@torch.no_grad()
def token_nats(
    h: Float[Tensor, "N d"], weight: Float[Tensor, "V d"], bias: Float[Tensor, " V"] | None, targets: Int[Tensor, " N"]
) -> Float[Tensor, " N"]:
    """-ln p(target) of each state, 0 where the target is -100."""
    h = in_autocast_type(h)
    weight = weight.to(h.dtype)
    buffer = buffer_for(h, len(weight))
    nats = buffer.new_empty(len(h))
    with torch.autocast(h.device.type, enabled=False):
        for start in range(0, len(h), len(buffer)):
            part, target = h[start : start + len(buffer)], targets[start : start + len(buffer)]
            index = target.clamp(min=0)[:, None]
            found = probabilities(part, weight, bias, index, out=buffer[: len(part)])
            nats[start : start + len(buffer)] = found[:, 0].mul_(target != IGNORED)
    return nats


class _SumNats(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor) -> Tensor:
        low = weight.to(h.dtype)
        buffer = buffer_for(h, len(weight))
        dh, dU = torch.empty_like(h), torch.zeros_like(weight)
        db = None if bias is None else torch.zeros_like(bias)
        total = torch.zeros((), dtype=buffer.dtype, device=h.device)
        indices, scored = targets.clamp(min=0)[:, None], (targets != IGNORED).to(h.dtype)[:, None]
        with torch.autocast(h.device.type, enabled=False):
            for start in range(0, len(h), len(buffer)):
                rows = slice(start, start + len(buffer))
                part, index, keep = h[rows], indices[rows], scored[rows]
                p = buffer[: len(part)]
                total += probabilities(part, low, bias, index, out=p).mul_(keep).sum()
                dz = p.scatter_add_(1, index, p.new_full((), -1.0).expand_as(index))
                if db is not None:
                    db.addmv_(dz.t(), keep[:, 0].to(dz.dtype))
                dz = dz.to(h.dtype)
                torch.mm(dz, low, out=dh[rows]).mul_(keep)
                add_product(dU, dz.t(), part * keep)
        ctx.save_for_backward(dh, dU, db)
        return total

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        dh, dU, db = ctx.saved_tensors
        return (dh * g).to(dh.dtype), dU * g, None if db is None else db * g, None


def probabilities(
    h: Float[Tensor, "n d"],
    weight: Float[Tensor, "V d"],
    bias: Float[Tensor, " V"] | None,
    index: Int[Tensor, "n 1"],
    *,
    out: Float[Tensor, "n V"],
) -> Float[Tensor, "n 1"]:
    """Write softmax(h U^T + b) to `out`; return -ln of the probability at `index`, exact however small it is."""
    if out.dtype == h.dtype:
        torch.mm(h, weight.t(), out=out)
    else:
        out.copy_(h @ weight.t())
    if bias is not None:
        out += bias
    torch.softmax(out, dim=1, out=out)
    p = out.gather(1, index)
    nats = -p.log()
    small = (p[:, 0] < SMALLEST).nonzero()[:, 0]
    if len(small):
        # ln p lost its digits, the difference to the likeliest token's logit has not
        best, wanted = out[small].argmax(1), index[small, 0]
        gap = (h[small].to(out.dtype) * (weight[best] - weight[wanted])).sum(1)
        if bias is not None:
            gap += bias[best] - bias[wanted]
        nats[small, 0] = gap - out[small, best].log()
    return nats


def buffer_for(h: Float[Tensor, "N d"], V: int) -> Float[Tensor, "C V"]:
    """The one buffer of logits: at most BUFFER of them, 256 to 1024 tokens, in float32 or better."""
    chunk = min(max(BUFFER // V, 256), 1024, max(len(h), 1))
    return torch.empty(chunk, V, dtype=torch.promote_types(h.dtype, torch.float32), device=h.device)


def in_autocast_type(h: Tensor) -> Tensor:
    """States in the type that matrix products have under the current autocast, if any."""
    device = h.device.type
    return h.to(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else h


def add_product(total: Tensor, left: Tensor, right: Tensor) -> None:
    """total += left @ right, also where the factors are of a smaller type than the total."""
    if total.dtype == left.dtype:
        total.addmm_(left, right)
    else:
        total += left @ right
