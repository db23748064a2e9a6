"""Floating-point operations a token, exact, beside the rules of thumb 2 P and 6 P (training), and why they differ.

Matrix products alone are counted, 2 operations a multiplication with its sum; a lookup multiplies nothing. Training
costs three forward passes: each product has two in the backward pass (one for either factor). A causal mask leaves
(T + 1) / 2 positions on average, which is what is counted; `*_full` counts hidden pairs too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rowspace.model.language_model import LanguageModel
from rowspace.model.products import Products, count_products

Number = int | float


def parameter_split(model: LanguageModel) -> dict[str, int]:
    """Numbers that training can move, by part: E, position, blocks, norms, U (0 when tied), bias, and total.

    `norms` are the gains and offsets of the body's norms, `blocks` all else in the body, `body` the two together.
    """
    E, U, bias = model.embedding.weight, model.head.weight, model.head.bias
    body = {name: parameter.numel() for name, parameter in model.body.named_parameters()}
    norms = sum(count for name, count in body.items() if is_norm(name))
    split = {
        "E": E.numel(),
        "position": sum(p.numel() for p in model.position.parameters()),
        "blocks": sum(body.values()) - norms,
        "norms": norms,
        "U": 0 if U is E else U.numel(),
        "bias": 0 if bias is None else bias.numel(),
    }
    return {**split, "body": sum(body.values()), "total": sum(split.values())}


def is_norm(name: str) -> bool:
    """A parameter of a norm, by its dotted name: `blocks.0.attention_norm.weight`."""
    return any("norm" in part for part in name.split(".")[:-1])


def flops_per_token(model: LanguageModel, products: Products | None = None) -> dict[str, Any]:
    """Operations a token that the body reads, at full windows: embedding, body, attention, head, forward, train.

    Beside them `attention_full`, `train_full` (hidden pairs counted too), `two_P`, `six_P`, and `because`: what 6 P
    counts otherwise, as [difference, reason] pairs that add up to train - six_P. `products` are those of one window
    where they are known already; an encoder-decoder's tokens are those of its target.
    """
    found = products or count_products(model)
    tokens = found.windows * found.T
    body, seen, full = (_each(part, tokens) for part in (found.maps, found.seen, found.full))
    head = 2 * model.head.weight.numel()
    split = parameter_split(model)
    forward = body + seen + head
    because = [[value, reason] for value, reason in _reasons(model, found, split, 3 * body, seen, full) if value]
    return {
        "embedding": 0,
        "body": body,
        "attention": seen,
        "attention_full": full,
        "head": head,
        "forward": forward,
        "train": 3 * forward,
        "train_full": 3 * (body + full + head),
        "two_P": 2 * split["total"],
        "six_P": 6 * split["total"],
        "because": because,
    }


def _reasons(
    model: LanguageModel, found: Products, split: Mapping[str, int], maps: Number, seen: Number, full: Number
) -> list[tuple[Number, str]]:
    """What 6 P counts otherwise, and why, in the order of a forward pass."""
    matrices = sum(p.numel() for p in model.body.parameters() if p.ndim > 1)
    vectors = split["body"] - matrices + split["bias"]
    reasons: list[tuple[Number, str]] = []
    if not model.tied:
        reasons.append((-6 * split["E"], "E is looked up and multiplies nothing (6 V d), since the head has its own U"))
    reasons.append((-6 * split["position"], "learned positions are looked up and added"))
    reasons.append((-6 * vectors, "gains and biases scale and shift, without a matrix product"))
    source = f" while the source has {found.S:,} and the target {found.T:,}" if found.S else ""
    reasons.append((maps - 6 * matrices, f"matrices of the body are not used once a token{source}"))
    said = f"queries meet keys and weights meet values, which no parameter stands for, over {_lengths(found)}"
    if full != seen:
        said += f" ({3 * full:,.0f} with hidden pairs, which a kernel that masks afterwards multiplies too)"
    reasons.append((3 * seen, said))
    return reasons


def _lengths(found: Products) -> str:
    if found.S:
        return f"windows of {found.S:,} and {found.T:,}"
    if found.seen != found.full:
        return f"(T + 1) / 2 = {(found.T + 1) / 2:,g} positions that a causal mask leaves"
    return f"all T = {found.T:,} positions of a window"


def _each(total: int, tokens: int) -> Number:
    return total / tokens if total % tokens else total // tokens
