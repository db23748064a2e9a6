"""What a model is made of: every quantity as LEARNED, CONFIG or STATE, the parameter split, and FLOPs a token.

Counts matrix products only, as is usual; a lookup multiplies nothing. Training costs three forward passes. Attention
counts the positions that a causal mask leaves, (T + 1) / 2 on average.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from rowspace.model.attention import Attention
from rowspace.model.language_model import LanguageModel
from rowspace.position.scheme import FixedTable

LEARNED, CONFIG, STATE = "LEARNED", "CONFIG", "STATE"


def parameter_split(model: LanguageModel) -> dict[str, int]:
    """Numbers that training can move, by part: E, U (0 when tied), bias, position, body, total."""
    E, U, bias = model.embedding.weight, model.head.weight, model.head.bias
    split = {
        "E": E.numel(),
        "U": 0 if U is E else U.numel(),
        "bias": 0 if bias is None else bias.numel(),
        "position": sum(p.numel() for p in model.position.parameters()),
        "body": sum(p.numel() for p in model.body.parameters()),
    }
    return {**split, "total": sum(split.values())}


def flops_per_token(model: LanguageModel) -> dict[str, int]:
    """Floating-point operations a token at full windows: embedding, body, attention, head, forward, train."""
    maps = sum(p.numel() for p in model.body.parameters() if p.ndim == 2)
    layers = sum(isinstance(module, Attention) for module in model.body.modules())
    parts = {
        "embedding": 0,
        "body": 2 * maps,
        # q k^T and weights times v, d multiplications each for every visible position
        "attention": layers * 2 * 2 * model.d * (model.n_ctx + 1) // 2,
        "head": 2 * model.head.weight.numel(),
    }
    forward = sum(parts.values())
    return {**parts, "forward": forward, "train": 3 * forward}


def quantities(model: LanguageModel, tokenizer: Any | None = None) -> list[dict[str, Any]]:
    """One row a quantity: quantity, category, shape, count, bytes. States are those of one full window."""
    T, d, V = model.n_ctx, model.d, model.vocab_size
    rows = [] if tokenizer is None else [_named("tokenizer", CONFIG, (len(tokenizer.vocabulary),), 0)]
    rows += [_named(name, CONFIG, (), 0) for name in (f"V = {V}", f"d = {d}", f"n_ctx = {T}")]
    rows.append(_tensor("E", LEARNED, model.embedding.weight))
    if isinstance(model.position, FixedTable):
        rows.append(_tensor("position table", CONFIG, model.position.table))
    rows += [_tensor(f"P ({name})", LEARNED, p) for name, p in model.position.named_parameters()]
    rows += [_tensor(f"body.{name}", LEARNED, p) for name, p in model.body.named_parameters()]
    if model.tied:
        rows.append(_named("U (is E)", LEARNED, (V, d), 0) | {"count": 0})
    else:
        rows.append(_tensor("U", LEARNED, model.head.weight))
    if model.head.bias is not None:
        rows.append(_tensor("b", LEARNED, model.head.bias))
    size = model.embedding.weight.element_size()
    return [
        *rows,
        _named("ids", STATE, (T,), 8),
        _named("h0", STATE, (T, d), size),
        _named("final states", STATE, (T, d), size),
    ]


def _tensor(quantity: str, category: str, tensor: Tensor) -> dict[str, Any]:
    return _named(quantity, category, tuple(tensor.shape), tensor.element_size())


def _named(quantity: str, category: str, shape: tuple[int, ...], size: int) -> dict[str, Any]:
    count = 1
    for length in shape:
        count *= length
    return {"quantity": quantity, "category": category, "shape": str(shape), "count": count, "bytes": count * size}
