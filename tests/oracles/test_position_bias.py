"""ALiBi and T5's buckets against transformers, and against worked numbers; what no positions at all can tell."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention

from rowspace.position.alibi import slopes
from tests.parts import ids, model, option, shape


def bias(name: str, T: int, heads: int, **changes) -> np.ndarray:
    """Ours, (H, T, T), from the live module."""
    generator = torch.Generator().manual_seed(0)
    scheme = option("position", name, **changes).build(d=8 * heads, heads=heads, n_ctx=T, generator=generator).double()
    at = torch.arange(T)[None]
    return scheme.bias(at, at, torch.empty(0, dtype=torch.float64))[0].detach().numpy()


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6, 8, 12, 20, 32])
def test_penalties_give_the_attention_of_bloom(heads: int):
    T = 12
    theirs = build_alibi_tensor(torch.ones(1, T), heads, torch.float64).view(heads, 1, T).numpy()
    ours = bias("alibi", T, heads)
    hidden = np.triu(np.full((T, T), -np.inf), 1)
    for a, b in zip(ours + hidden, theirs + hidden, strict=True):  # equal up to a constant a row: softmax drops it
        rows = [np.exp(x - x.max(1, keepdims=True)) for x in (a, b)]
        np.testing.assert_allclose(*(x / x.sum(1, keepdims=True) for x in rows), rtol=1e-6)


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        (4, [0.25, 0.0625, 0.015625, 0.00390625]),
        (8, [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]),
        (6, [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]),
    ],
)
def test_slopes_in_numbers(heads: int, expected: list[float]):
    assert slopes(heads).tolist() == expected


def test_attention_to_equal_contents_falls_with_distance():
    row = np.exp(bias("alibi", 3, 2)[0, 2])
    np.testing.assert_allclose(row / row.sum(), [0.31273, 0.3329, 0.35437], atol=1e-5)


@pytest.mark.parametrize(("buckets", "max_distance"), [(16, 128), (32, 128), (8, 20), (5, 64), (64, 1000)])
def test_buckets_are_those_of_t5_in_both_directions(buckets: int, max_distance: int):
    T = max_distance + 50
    offset = torch.arange(T)[None] - torch.arange(T)[:, None]
    both = T5Attention._relative_position_bucket(offset, True, 2 * buckets, max_distance)
    past = T5Attention._relative_position_bucket(offset, False, buckets, max_distance)
    generator = torch.Generator().manual_seed(0)
    chosen = option("position", "t5_bias", buckets=buckets, max_distance=max_distance)
    scheme = chosen.build(d=24, heads=3, n_ctx=T, generator=generator)
    at = torch.arange(T)[None]
    found = scheme.bias(at, at, torch.empty(0))[0]
    assert torch.equal(found, scheme.table[both].permute(2, 0, 1))
    assert torch.equal(found.tril(), scheme.table[past].permute(2, 0, 1).tril())


def test_biases_enter_the_model_as_they_are_and_are_not_divided_by_the_width_of_a_head():
    lm, tokens = model(model=shape(layers=1, heads=2), position="alibi").double(), ids(B=1, T=5)
    block = lm.body.blocks[0]
    x = block.attention_norm(lm.inputs(tokens))
    q, k, v = block.attention.qkv(x).view(1, 5, 3, 2, 8).permute(2, 0, 3, 1, 4)
    scores = (q @ k.transpose(-1, -2) / 8**0.5)[0].detach().numpy()
    for head, m in enumerate((2**-4, 2**-8)):
        for i in range(5):
            for j in range(5):
                scores[head, i, j] = scores[head, i, j] - m * (i - j) if j <= i else -np.inf
    weights = torch.from_numpy(scores).softmax(-1)
    expected = block.attention.out((weights @ v[0]).transpose(0, 1).reshape(5, 16))
    seen = []
    block.attention.register_forward_hook(lambda module, given, out: seen.append(out[0]))
    lm(tokens)
    torch.testing.assert_close(seen[0], expected)


@pytest.mark.parametrize(("layers", "told"), [(1, False), (2, True), (4, True)])
def test_without_positions_one_causal_layer_cannot_tell_the_order_of_a_prefix_and_two_can(layers: int, told: bool):
    body = option("body", "decoder", init_std=0.4)
    lm = model(model=shape(layers=layers), body=body, position="none").double()
    tokens = ids(B=1)
    swapped = tokens[:, [3, 1, 2, 0, *range(4, 12)]]
    difference = float((lm(tokens)[0, -1] - lm(swapped)[0, -1]).detach().abs().max())
    assert (difference > 1e-6) == told


@pytest.mark.parametrize("layers", [1, 2, 5])
def test_without_positions_a_bidirectional_encoder_permutes_with_its_input_at_any_depth(layers: int):
    body = option("body", "encoder", init_std=0.4)
    lm = model(model=shape(layers=layers), body=body, position="none").double()
    tokens, order = ids(B=1), torch.randperm(12, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(lm(tokens)[:, order], lm(tokens[:, order]), atol=1e-10, rtol=0)
