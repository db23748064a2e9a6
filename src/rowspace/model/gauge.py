"""The basis of the residual stream is free: rows, positions and the matrices after them, turned together.

Every map that reads the stream gets its norm's gain first (y = W (g * norm(x)) is (W diag g) norm(x)), since a gain is
tied to axes. What is left commutes with a rotation where the norm does: root mean square norms do, LayerNorm does not,
because centring singles out the direction of ones. The head is untied, since its rows take the last gain.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from rowspace.errors import ConfigError
from rowspace.model.body import NoBody, Transformer
from rowspace.model.language_model import LanguageModel
from rowspace.position.additive import FixedAddition, LearnedAddition


def random_rotation(d: int, *, seed: int) -> Float[Tensor, "d d"]:
    """A random orthogonal matrix in float64."""
    drawn = np.random.default_rng(seed).standard_normal((d, d))
    return torch.from_numpy(np.linalg.qr(drawn)[0])


@torch.no_grad()
def measure_rotation_error(model: LanguageModel, ids: Int[Tensor, "B T"], *, seed: int) -> float:
    """Largest change of a logit when the space is turned, over the largest logit less its mean. In the model's type."""
    turned = rotated(model, random_rotation(model.d, seed=seed))
    before, after = model.logits(model(ids)), turned.logits(turned(ids))
    return float((after - before).abs().max() / (before - before.mean(-1, keepdim=True)).abs().max())


@torch.no_grad()
def rotated(model: LanguageModel, Q: Float[Tensor, "d d"]) -> LanguageModel:
    """A copy whose stream is x Q wherever the model's is x. ConfigError where the body is no stack of attention."""
    made = deepcopy(model)
    body = made.body
    if not isinstance(body, Transformer | NoBody):
        raise ConfigError(f"{type(body).__name__}: a rotation is written out for one stack of attention blocks alone")
    Q = Q.to(made.embedding.weight)
    rows = made.embedding.weight @ Q
    made.head.weight = nn.Parameter(made.head.weight.clone())
    made.embedding.weight = nn.Parameter(rows)
    if isinstance(made.position, FixedAddition | LearnedAddition):
        made.position.table.copy_(made.position.table.clone() @ Q.to(made.position.table))
    for block in getattr(body, "blocks", ()):
        _read_rotated(block.attention_norm, block.attention.qkv, Q)
        _write_rotated(block.attention.out, Q)
        _read_rotated(block.feedforward_norm, _first(block.feedforward), Q)
        _write_rotated(block.feedforward.down, Q)
    _read_rotated(body.norm, made.head, Q)
    return made


def _first(feedforward: Any) -> nn.Linear:
    return feedforward.gate_up if hasattr(feedforward, "gate_up") else feedforward.up


def _read_rotated(norm: Any, reader: Any, Q: Tensor) -> None:
    """A norm without a gain and offset, and a map after it that has them and reads turned rows."""
    offset = getattr(norm, "bias", None)
    if offset is not None:
        shift = reader.weight @ offset * getattr(reader, "logit_scale", 1.0)
        reader.bias = nn.Parameter(shift if reader.bias is None else reader.bias + shift)
        offset.zero_()
    reader.weight.copy_(reader.weight * norm.weight @ Q)
    norm.weight.fill_(1.0)


def _write_rotated(writer: nn.Linear, Q: Tensor) -> None:
    writer.weight.copy_(Q.t() @ writer.weight)
    if writer.bias is not None:
        writer.bias.copy_(writer.bias @ Q)
