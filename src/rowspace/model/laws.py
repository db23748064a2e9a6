"""Laws of the two ends of a live model: what a look-up is, what the loss does to scores, what is trained in parallel.

Claims and tests call the same functions. Each compares what a module does with what the formula says, written out here
anew. Models are given in the precision that is wanted and are left as they are.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from rowspace.model.embedding import TokenEmbedding
from rowspace.model.head import Head
from rowspace.model.language_model import LanguageModel


@torch.no_grad()
def measure_one_hot_error(embedding: TokenEmbedding, ids: Int[Tensor, " N"]) -> float:
    """Largest |E[x] - onehot(x) E| of the rows as they enter, scale included. N x V numbers."""
    one_hot = torch.zeros(len(ids), len(embedding.weight)).to(embedding.weight)
    one_hot[torch.arange(len(ids)), ids] = 1
    return float((embedding(ids) - one_hot @ embedding.weight * embedding.scale).abs().max())


@torch.no_grad()
def measure_row_spread(embedding: TokenEmbedding, ids: Int[Tensor, "B T"]) -> tuple[float, int]:
    """Largest difference of two look-ups of one id, wherever they stand, and how many ids stand more than once."""
    flat, rows = ids.flatten(), embedding(ids).flatten(0, 1)
    found, places, counts = flat.unique(return_inverse=True, return_counts=True)
    first = torch.full((len(found),), len(flat)).scatter_reduce(0, places, torch.arange(len(flat)), "amin")
    return float((rows - rows[first[places]]).abs().max()), int((counts > 1).sum())


@dataclass(frozen=True)
class ScoreGradient:
    """How far the loss's gradient at the scores is from p - onehot(target), at the most; in how many of the `n` states
    the target's score alone has a negative one; and the target's own on average."""

    error: float
    alone: int
    n: int
    target: float


def measure_score_gradient(head: Head, h: Float[Tensor, "N d"], targets: Int[Tensor, " N"]) -> ScoreGradient:
    """The gradient that training takes, state by state, at scores that a bias of zeros is added to."""
    error, alone, own = 0.0, 0, 0.0
    for state, target in zip(h, targets, strict=True):
        dz = find_score_gradient(head, state, target)
        with torch.no_grad():
            expected = head(state).softmax(-1)
        expected[target] -= 1
        error = max(error, float((dz - expected).abs().max()))
        alone += int(bool(dz[target] < 0) and int((dz < 0).sum()) == 1)
        own += float(dz[target]) / len(h)
    return ScoreGradient(error, alone, len(h), own)


def find_score_gradient(head: Head, state: Float[Tensor, " d"], target: Int[Tensor, ""]) -> Float[Tensor, " V"]:
    """dL/dz of the loss that training takes: what a bias of the head would get, for one state."""
    made = deepcopy(head)
    if made.bias is None:
        made.bias = nn.Parameter(torch.zeros(len(made.weight)).to(made.weight))
    with torch.enable_grad():
        made.sum_nats(state[None].detach(), target[None]).backward()
    assert made.bias.grad is not None
    return made.bias.grad


@torch.no_grad()
def measure_row_scores_error(model: LanguageModel, h: Float[Tensor, "N d"]) -> float:
    """Largest |z_v - c h . E[v]|, bias apart, over the largest score: 0 where tokens are scored by their own rows."""
    z = model.logits(h)
    own = model.head.logit_scale * h @ model.embedding.weight.t()
    bias = 0 if model.head.bias is None else model.head.bias
    return float((z - bias - own).abs().max() / z.abs().max())


@torch.no_grad()
def measure_stepwise_error(model: LanguageModel, ids: Int[Tensor, " T"]) -> float:
    """Largest difference of a final state, read at once or as the newest of its own prefix, over their root mean
    square: 0 up to rounding where all positions may be trained in parallel."""
    whole = model(ids[None])[0]
    alone = torch.stack([model(ids[None, : t + 1])[0, -1] for t in range(len(ids))])
    return float((whole - alone).abs().max() / whole.square().mean().sqrt())


@torch.no_grad()
def measure_chain_error(model: LanguageModel, ids: Int[Tensor, " T"]) -> tuple[float, float]:
    """How far the nats of a text, read at once, are from -ln of the product of the conditionals p(x_t | x_<t), each of
    a prefix of its own, as a share; and how far the conditionals' sums over the vocabulary are from 1, at the most."""
    nats = float(model.token_nats(ids[None, :-1], ids[None, 1:]).double().sum())
    product, off = torch.zeros((), dtype=torch.float64), 0.0
    for t in range(1, len(ids)):
        p = model.logits(model(ids[None, :t])[0, -1]).double().softmax(-1)
        off = max(off, abs(float(p.sum()) - 1))
        product += p[ids[t]].log()
    return abs(nats + float(product)) / nats, off
