"""Where a position scheme acts in a live model: on queries and keys of each attention layer, and not on values.

Claims and tests call the same function. Each layer is read with the model's scheme and without any, from the same
states; what really reaches torch's attention is compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor
from torch.overrides import TorchFunctionMode

from rowspace.errors import ConfigError
from rowspace.model.attention import Mask
from rowspace.model.body import Transformer
from rowspace.model.language_model import LanguageModel
from rowspace.position.scheme import PositionScheme


@dataclass(frozen=True)
class Turned:
    """What the scheme does in one layer, as largest differences over the largest number of the same kind."""

    queries: float
    keys: float
    values: float
    lengths: float
    """Of the norm of a query or key, as a share of it."""


@torch.no_grad()
def measure_turned(model: LanguageModel, ids: Int[Tensor, " T"]) -> list[Turned]:
    """What the scheme does in each layer to queries, keys and values of these tokens.

    ConfigError where the body has no self-attention over one text.
    """
    body = model.body
    if not isinstance(body, Transformer):
        raise ConfigError(f"{type(body).__name__} has no self-attention over one text that positions could act in")
    states, found = model.states(ids[None]), []
    for block, h in zip(body.blocks, states, strict=False):
        x = block.attention_norm(h)  # type: ignore[operator]
        with_scheme, without = (_read(block.attention, x, scheme) for scheme in (model.position, PositionScheme()))
        q, k, v = (_difference(a, b) for a, b in zip(with_scheme, without, strict=True))
        lengths = max(_stretch(a, b) for a, b in zip(with_scheme[:2], without[:2], strict=True))
        found.append(Turned(q, k, v, lengths))
    return found


@torch.no_grad()
def measure_input_error(model: LanguageModel, ids: Int[Tensor, " T"]) -> float:
    """Largest |h0 - (scale * E[x] + P)|, h0 as the body reads it, P what the scheme adds to positions 0..T-1."""
    T, weight = len(ids), model.embedding.weight
    model.position.reach(T)
    added = model.position.add(weight.new_zeros(1, T, model.d), None)[0]
    h0 = model.states(ids[None], source=ids[None])[0][0]
    return float((h0 - (model.embedding.scale * weight[ids] + added)).abs().max())


def _difference(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max() / other.abs().max().clamp(min=1e-30))


def _stretch(one: Tensor, other: Tensor) -> float:
    before = other.double().norm(dim=-1)
    return float(((one.double().norm(dim=-1) - before).abs() / before.clamp(min=1e-30)).max())


def _read(attention: Any, x: Tensor, scheme: PositionScheme) -> tuple[Tensor, Tensor, Tensor]:
    with _Attending() as seen:
        attention(x, scheme, None, Mask(None, causal=False))
    return seen.factors


class _Attending(TorchFunctionMode):
    """Keeps what attention multiplies."""

    factors: tuple[Tensor, Tensor, Tensor]

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__name__", "") == "scaled_dot_product_attention":
            self.factors = tuple(args[:3])  # type: ignore[assignment]
        return func(*args, **(kwargs or {}))
