"""Biases on scores by offset: penalties of ALiBi, buckets of T5, and where they may stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from rowspace.position.alibi import slopes
from tests.parts import ids, model, option, refusals

LIKE = torch.empty(0)


def built(name: str, heads: int = 2, **changes: Any) -> Any:
    """The scheme for H heads."""
    generator = torch.Generator().manual_seed(0)
    return option("position", name, **changes).build(d=8 * heads, heads=heads, n_ctx=12, generator=generator)


def test_slopes_of_a_power_of_two_heads_are_a_geometric_sequence():
    for heads in (1, 2, 4, 16):
        np.testing.assert_allclose(slopes(heads), [2 ** (-8 * (h + 1) / heads) for h in range(heads)])


@pytest.mark.parametrize("heads", [3, 5, 6, 7, 12, 24])
def test_slopes_of_other_numbers_of_heads_are_all_different_and_below_one(heads: int):
    found = slopes(heads)
    assert len(found) == len(set(found)) == heads
    assert ((found > 0) & (found < 1)).all()


def test_a_penalty_falls_on_both_sides_alike_and_spares_the_place_itself():
    at = torch.arange(7)[None]
    bias = built("alibi").bias(at, at, LIKE)
    assert torch.equal(bias, bias.transpose(-1, -2))
    assert torch.equal(bias.diagonal(dim1=-2, dim2=-1), torch.zeros(1, 2, 7))
    assert bias[0, 0, 2, 5] == -3 / 16


def test_a_bidirectional_window_with_penalties_prefers_neighbours_on_both_sides():
    lm = model(position="alibi")
    lm.body.causal = False
    mirrored = ids(B=1).flip(1)
    torch.testing.assert_close(lm(ids(B=1)).flip(1), lm(mirrored))


def test_learned_buckets_tell_the_two_sides_apart_and_share_what_is_far():
    scheme = built("t5_bias", buckets=8, max_distance=20)
    at = torch.arange(60)[None]
    bias = scheme.bias(at, at, LIKE)[0, 0].detach()
    assert bias[30, 31] != bias[30, 29]
    assert len({float(bias[0, j]) for j in range(20, 60)}) == 1
    assert len({float(bias[40, j]) for j in range(37, 44)}) == 7


def test_each_bucket_that_is_reached_learns_and_the_rest_does_not():
    lm, tokens = model(position=option("position", "t5_bias", buckets=8, max_distance=20)), ids(T=5)
    lm.loss(lm(tokens), tokens)[0].backward()
    moved = lm.position.table.grad.abs().sum(1) > 0
    assert moved.tolist() == [True] * 5 + [False] * 11


def test_one_table_serves_every_layer():
    lm = model(position="t5_bias")
    assert [name for name, _ in lm.named_parameters() if "position" in name] == ["position.table"]
    assert lm.position.table.shape == (64, 2)


@pytest.mark.parametrize("name", ["alibi", "t5_bias"])
def test_each_row_of_a_batch_has_the_bias_of_its_own_positions(name: str):
    scheme = built(name)
    positions = torch.tensor([[0, 1, 2, 0, 1], [4, 3, 2, 1, 0]])
    found = scheme.bias(positions, positions, LIKE)
    assert found.shape == (2, 2, 5, 5)
    for b in range(2):
        assert torch.equal(found[b], scheme.bias(positions[b : b + 1], positions[b : b + 1], LIKE)[0])


@pytest.mark.parametrize("name", ["alibi", "t5_bias"])
def test_a_bias_has_the_type_that_scores_have(name: str):
    at = torch.arange(300)[None]
    scheme = built(name).to(torch.bfloat16)
    assert scheme.bias(at, at, LIKE.bfloat16()).dtype == torch.bfloat16
    assert scheme.bias(at, at, LIKE).dtype == torch.float32


def test_distances_are_not_rounded_before_they_become_penalties():
    scheme = built("alibi", heads=1).to(torch.bfloat16)
    at = torch.arange(1000)[None]
    assert torch.equal(scheme.bias(at[:, -1:], at, LIKE)[0, 0, 0], -(999 - torch.arange(1000)) / 256)


@pytest.mark.parametrize("buckets", [2, 3, 8, 33])
@pytest.mark.parametrize("max_distance", [20, 128, 1000])
def test_buckets_never_fall_with_distance_and_end_with_the_last(buckets: int, max_distance: int):
    found = option("position", "t5_bias", buckets=buckets, max_distance=max_distance).bucket_of()
    single = buckets // 2
    assert found[: single + 1].tolist() == list(range(single + 1))
    assert (np.diff(found) >= 0).all()
    assert found[-1] == buckets - 1


def test_a_distance_that_leaves_no_room_for_shared_buckets_is_refused():
    with pytest.raises(ValidationError, match="more than 16, as many distances as have a bucket of their own"):
        option("position", "t5_bias", buckets=32, max_distance=16)


def test_penalties_on_distance_are_refused_where_a_second_text_is_read():
    (problem,) = [problem for problem in refusals("alibi", "encoder_decoder") if problem.key == "position"]
    assert str(problem) == (
        "position: alibi weakens scores with distance, and body=encoder_decoder reads a source at no distance; "
        "position=t5_bias, rope, sinusoidal or learned, or a body that reads one text"
    )
    assert refusals("t5_bias", "encoder_decoder") == []
