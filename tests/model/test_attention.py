"""Attention against its formula in float64, and what segments let through."""

from __future__ import annotations

from math import inf, sqrt

import pytest
import torch

from rowspace.model.attention import Attention, CrossAttention, Mask, self_mask
from rowspace.position.scheme import PositionScheme
from tests.parts import option

CAUSAL, ALL = Mask(None, causal=True), Mask(None, causal=False)
SEGMENTS = torch.tensor([[0, 0, 0, 1, 1, 2], [0, 1, 1, 1, 1, 1]])


def attention(std: float = 0.5) -> Attention:
    """d = 8 in two heads, float64, with weights large enough to matter."""
    generator = torch.Generator().manual_seed(0)
    return Attention(d=8, heads=2, bias=True, std=std, out_std=std, generator=generator).double()


def states() -> torch.Tensor:
    """(2, 6, 8) float64."""
    return torch.randn(2, 6, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def by_definition(layer: Attention, x: torch.Tensor, visible) -> torch.Tensor:
    """One sum after the other, without positions."""
    weight = layer.qkv.weight.detach()
    out = torch.zeros_like(x)
    for b in range(x.shape[0]):
        for head in range(2):
            rows = slice(4 * head, 4 * head + 4)
            q, k, v = (x[b] @ weight[8 * part : 8 * part + 8][rows].t() for part in range(3))
            for t in range(6):
                scores = torch.tensor(
                    [float(q[t] @ k[s]) / sqrt(4) if visible(b, t, s) else -inf for s in range(6)], dtype=torch.float64
                )
                out[b, t, rows] = scores.softmax(0) @ v
    return out @ layer.out.weight.detach().t()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("isolated", [False, True])
def test_attention_is_the_weighted_mean_of_the_values_that_a_position_may_see(isolated: bool, causal: bool):
    layer, x = attention(), states()
    segments = SEGMENTS if isolated else None
    found = layer(x, PositionScheme(), None, self_mask(PositionScheme(), x, None, segments, causal=causal))
    expected = by_definition(
        layer,
        x,
        lambda b, t, s: (s <= t or not causal) and (not isolated or bool(SEGMENTS[b, s] == SEGMENTS[b, t])),
    )
    torch.testing.assert_close(found.detach(), expected, atol=1e-10, rtol=0)


def test_a_bias_of_the_scheme_is_added_to_scores_and_the_future_stays_hidden():
    bias = torch.randn(1, 2, 6, 6, generator=torch.Generator().manual_seed(2))
    scheme = PositionScheme()
    scheme.bias = lambda queries, keys, like: bias  # type: ignore[method-assign]
    mask = self_mask(scheme, states(), None, None, causal=True)
    assert not mask.causal
    assert torch.equal(mask.scores.tril(), bias.tril())
    assert bool((mask.scores[..., 0, 1:] == -inf).all())
    assert torch.equal(self_mask(scheme, states(), None, None, causal=False).scores, bias)


def test_without_segments_and_bias_there_is_no_mask():
    assert self_mask(PositionScheme(), states(), None, None, causal=True) == CAUSAL
    assert self_mask(PositionScheme(), states(), None, None, causal=False) == ALL


def test_rope_turns_queries_and_keys_in_attention_and_leaves_values_alone():
    layer, x = attention(), states()
    rope = option("position", "rope").build(d=8, heads=2, n_ctx=6, generator=None).double()
    with torch.no_grad():
        layer.qkv.weight[:16] = 0  # no queries and keys: every score is 0 whatever the rotation
    plain = layer(x, PositionScheme(), None, CAUSAL)
    torch.testing.assert_close(layer(x, rope, None, CAUSAL), plain)
    layer, x = attention(), states()
    assert float((layer(x, rope, None, CAUSAL) - layer(x, PositionScheme(), None, CAUSAL)).detach().abs().max()) > 1e-3


def test_cross_attention_is_the_weighted_mean_of_the_sources_values():
    generator = torch.Generator().manual_seed(0)
    layer = CrossAttention(d=8, heads=2, bias=True, std=0.5, out_std=0.5, generator=generator).double()
    x, source = states(), torch.randn(2, 5, 8, dtype=torch.float64, generator=generator)
    out = torch.zeros_like(x)
    for b in range(2):
        for head in range(2):
            rows = slice(4 * head, 4 * head + 4)
            q = x[b] @ layer.q.weight.detach()[rows].t()
            k, v = (source[b] @ part[rows].t() for part in layer.kv.weight.detach().split(8))
            for t in range(6):
                scores = torch.stack([q[t] @ k[s] / sqrt(4) for s in range(5)])
                out[b, t, rows] = scores.softmax(0) @ v
    torch.testing.assert_close(layer(x, source).detach(), out @ layer.out.weight.detach().t(), atol=1e-10, rtol=0)
