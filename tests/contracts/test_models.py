"""Every registered scheme, body and head together: shapes, causality, first loss, tying, a step that learns."""

from __future__ import annotations

import itertools
from math import log

import pytest
import torch

from rowspace.model.certificates import check_tie, visibility
from rowspace.model.norm import NORMS
from tests.parts import ids, model, names, option, shape

POSITIONS, BODIES, HEADS = names("position"), names("body"), names("head")
ALL = list(itertools.product(POSITIONS, BODIES, HEADS, [True, False]))
SCALES = ["none", "sqrt_d", 30.0]


@pytest.mark.parametrize(("position", "body", "head", "tie"), ALL)
def test_shapes_types_and_gradients_of_every_combination(position: str, body: str, head: str, tie: bool):
    lm, tokens = model(position=position, body=body, head=option("head", head, tie=tie)), ids(B=3)
    states = lm.states(tokens)
    assert {(tuple(state.shape), state.dtype) for state in states} == {((3, 12, 16), torch.float32)}
    assert lm.logits(states[-1]).shape == (3, 12, 40)
    total, n = lm.loss(states[-1], tokens.roll(-1, 1))
    total.backward()
    assert int(n) == 36
    torch.testing.assert_close(total.detach(), lm.token_nats(tokens, tokens.roll(-1, 1)).sum())
    assert all(torch.isfinite(p.grad).all() for p in lm.parameters() if p.grad is not None)


@pytest.mark.parametrize(("position", "body", "head", "tie"), ALL)
def test_no_state_depends_on_a_later_token(position: str, body: str, head: str, tie: bool):
    lm, tokens = model(position=position, body=body, head=option("head", head, tie=tie)), ids(B=1)
    seen = visibility(lm, tokens[0])
    assert not bool(seen.triu(1).any())
    assert bool(seen.diagonal().all())
    changed = tokens.clone()
    changed[0, 7:] = (changed[0, 7:] + 1) % 40
    assert torch.equal(lm(tokens)[0, :7], lm(changed)[0, :7])


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("head", HEADS)
def test_the_tie_is_what_the_option_says_after_build_move_and_load(head: str, tie: bool):
    lm = model(head=option("head", head, tie=tie))
    for other in (lm, lm.double(), model(head=option("head", head, tie=tie), seed=1)):
        other.load_state_dict(lm.state_dict())
        assert check_tie(other, tie)["verdict"] == ("tied" if tie else "untied")


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("embedding", names("embedding"))
def test_the_first_loss_is_log_v_plus_half_the_variance_of_a_logit(
    embedding: str, scale: str | float, tie: bool, body: str, norm: str
):
    V = 500
    lm = model(
        V,
        model=shape(d=64),
        embedding=option("embedding", embedding, scale=scale),
        body=option("body", body, norm=norm),
        head=option("head", "linear", tie=tie),
    )
    tokens, targets = ids(V, B=32), ids(V, B=32, seed=2)
    first = float(lm.token_nats(tokens, targets).mean())
    s = float(lm.logits(lm(tokens)).detach().std())
    assert first == pytest.approx(log(V) + s**2 / 2, abs=0.1)
    assert first == pytest.approx(lm.first_loss(), abs=0.1)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("std", [0.001, 0.3, 1.0])
def test_no_start_of_the_table_breaks_the_first_loss(std: float, tie: bool, position: str):
    V = 2000
    lm = model(
        V,
        model=shape(d=64),
        embedding=option("embedding", "normal", std=std),
        position=position,
        head=option("head", "linear", tie=tie),
    )
    tokens, targets = ids(V, B=32), ids(V, B=32, seed=2)
    assert float(lm.token_nats(tokens, targets).mean()) == pytest.approx(lm.first_loss(), abs=0.1)


@pytest.mark.parametrize(("position", "body", "head", "tie"), ALL)
def test_training_on_one_batch_lowers_its_loss(position: str, body: str, head: str, tie: bool):
    lm, tokens = model(position=position, body=body, head=option("head", head, tie=tie)), ids()
    targets = tokens.roll(-1, 1)
    optimizer = torch.optim.AdamW(lm.parameters(), lr=0.02)
    before = float(lm.token_nats(tokens, targets).mean())
    for _ in range(25):
        total, n = lm.loss(lm(tokens), targets)
        (total / n).backward()
        optimizer.step()
        optimizer.zero_grad()
    assert float(lm.token_nats(tokens, targets).mean()) < before - 0.3
