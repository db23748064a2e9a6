"""Every scheme beside every body that it may stand beside, every head: shapes, what is seen, first loss, learning."""

from __future__ import annotations

import itertools
from math import log

import pytest
import torch

from rowspace.model.certificates import check_tie, visibility, visibility_of
from rowspace.model.norm import NORMS
from rowspace.registry import options
from tests.parts import ids, model, names, option, pairs, refusals, scalings_last, shape, source_for

POSITIONS, BODIES, HEADS, PAIRS = names("position"), names("body"), names("head"), pairs()
ALL = [(*pair, head, tie) for pair, head, tie in itertools.product(PAIRS, HEADS, [True, False])]
SCALES = ["none", "sqrt_d", 30.0]
ATTENDING = [body for body in BODIES if options("body")[body].attends]


def test_the_pairs_that_are_allowed_are_those_that_make_sense():
    inside = {name for name in POSITIONS if options("position")[name].inside_attention}
    refused = set(itertools.product(POSITIONS, BODIES)) - set(PAIRS)
    without_attention = {(name, body) for name in inside for body in BODIES if body not in ATTENDING}
    assert refused == without_attention | {("alibi", "encoder_decoder")}
    assert all(("none", body) in PAIRS for body in BODIES)


@pytest.mark.parametrize(("position", "body"), sorted(set(itertools.product(POSITIONS, BODIES)) - set(PAIRS)))
def test_a_pair_that_makes_no_sense_is_refused_in_words(position: str, body: str):
    (problem,) = refusals(position, body)
    assert problem.key == "position"
    assert position in problem.given
    assert f"body={body}" in problem.given
    assert "position=" in problem.right or "none" in problem.right


@pytest.mark.parametrize(("position", "body", "head", "tie"), ALL)
def test_shapes_types_and_gradients_of_every_combination(position: str, body: str, head: str, tie: bool):
    lm, tokens = model(position=position, body=body, head=option("head", head, tie=tie)), ids(B=3)
    source = source_for(body, B=3)
    states = lm.states(tokens, source=source)
    assert {(tuple(state.shape), state.dtype) for state in states} == {((3, 12, 16), torch.float32)}
    assert lm.logits(states[-1]).shape == (3, 12, 40)
    targets = tokens.roll(-1, 1)
    total, n = lm.loss(states[-1], targets)
    total.backward()
    assert int(n) == 36
    torch.testing.assert_close(total.detach(), lm.token_nats(tokens, targets, source=source).sum())
    assert all(torch.isfinite(p.grad).all() for p in lm.parameters() if p.grad is not None)


@pytest.mark.parametrize(("position", "body"), PAIRS)
def test_what_a_state_depends_on_is_what_its_body_says(position: str, body: str):
    lm, source = model(position=position, body=body).double(), source_for(body, B=1, S=7)
    seen = visibility(lm, ids(B=1)[0], source=None if source is None else source[0])
    assert torch.equal(seen, visibility_of(option("body", body), 12, 7))


@pytest.mark.parametrize(("position", "body"), [pair for pair in PAIRS if pair[1] != "encoder"])
def test_a_later_token_changes_no_bit_of_an_earlier_state(position: str, body: str):
    lm, tokens, source = model(position=position, body=body), ids(B=1), source_for(body, B=1)
    changed = tokens.clone()
    changed[0, 7:] = (changed[0, 7:] + 1) % 40
    before, after = lm(tokens, source=source), lm(changed, source=source)
    assert torch.equal(before[0, :7], after[0, :7])
    assert not torch.equal(before[0, 7], after[0, 7])


@pytest.mark.parametrize("position", [position for position, body in PAIRS if body == "encoder_decoder"])
def test_a_source_token_changes_every_state_of_the_target(position: str):
    lm, tokens, source = model(position=position, body="encoder_decoder"), ids(B=1), ids(B=1, T=9, seed=5)
    changed = source.clone()
    changed[0, 4] = (changed[0, 4] + 1) % 40
    assert bool((lm(tokens, source=source) != lm(tokens, source=changed)).any(-1).all())


@pytest.mark.parametrize(("position", "body"), PAIRS)
def test_segments_see_nothing_of_each_other(position: str, body: str):
    if refusals(position, body, data=option("data", "glosses", documents="isolated")):
        assert body == "encoder_decoder"
        return
    lm, tokens = model(position=position, body=body).double(), ids(B=1)
    segments = torch.tensor([[0] * 3 + [1] * 4 + [2] * 5])
    positions = torch.tensor([[0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4]])
    alone = torch.cat([lm(part) for part in tokens.split([3, 4, 5], dim=1)], dim=1)
    torch.testing.assert_close(lm(tokens, positions, segments), alone, atol=1e-10, rtol=0)


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("head", HEADS)
def test_the_tie_is_what_the_option_says_after_build_move_and_load(head: str, tie: bool):
    lm = model(head=option("head", head, tie=tie))
    for other in (lm, lm.double(), model(head=option("head", head, tie=tie), seed=1)):
        other.load_state_dict(lm.state_dict())
        assert check_tie(other, tie)["verdict"] == ("tied" if tie else "untied")


STARTS = [
    *itertools.product(["normal"], SCALES, [True, False], BODIES, NORMS),
    *itertools.product(names("embedding"), SCALES, [True, False], ["none", "decoder"], ["rmsnorm"]),
]


@pytest.mark.parametrize(("embedding", "scale", "tie", "body", "norm"), sorted(set(STARTS), key=str))
def test_the_first_loss_is_log_v_plus_half_the_variance_of_a_logit(
    embedding: str, scale: str | float, tie: bool, body: str, norm: str
):
    V = 500
    lm = model(
        V,
        model=shape(d=64),
        embedding=option("embedding", embedding, scale=scale),
        position="rope" if body in ATTENDING else "none",
        body=option("body", body, norm=norm),
        head=option("head", "linear", tie=tie),
    )
    tokens, targets, source = ids(V, B=32), ids(V, B=32, seed=2), source_for(body, B=32, V=V)
    first = float(lm.token_nats(tokens, targets, source=source).mean())
    s = float(lm.logits(lm(tokens, source=source)).detach().std())
    assert first == pytest.approx(log(V) + s**2 / 2, abs=0.1)
    assert first == pytest.approx(lm.first_loss(), abs=0.1)


@pytest.mark.parametrize("body", ["rnn", "lstm", "encoder_decoder"])
def test_twelve_layers_do_not_let_the_signal_die(body: str):
    """Without normalization between recurrent layers the last states would be 1e-7 and the final norm powerless."""
    V = 500
    lm = model(V, model=shape(d=64, layers=12), body=body, position="none")
    tokens, targets, source = ids(V, B=32), ids(V, B=32, seed=2), source_for(body, B=32, V=V)
    assert float(lm.token_nats(tokens, targets, source=source).mean()) == pytest.approx(lm.first_loss(), abs=0.1)
    assert float(lm(tokens, source=source).detach().square().mean()) == pytest.approx(1, abs=0.01)


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


HEADED = [("rope", "decoder", head, tie) for head in HEADS for tie in (True, False)]


@pytest.mark.parametrize(
    ("position", "body", "head", "tie"),
    scalings_last(sorted({*((*pair, "linear", True) for pair in PAIRS), *HEADED})),
)
def test_training_on_one_batch_lowers_its_loss(position: str, body: str, head: str, tie: bool):
    lm, tokens = model(position=position, body=body, head=option("head", head, tie=tie)), ids()
    targets, source = tokens.roll(-1, 1), source_for(body)
    optimizer = torch.optim.AdamW(lm.parameters(), lr=0.02)
    before = float(lm.token_nats(tokens, targets, source=source).mean())
    for _ in range(25):
        total, n = lm.loss(lm(tokens, source=source), targets)
        (total / n).backward()
        optimizer.step()
        optimizer.zero_grad()
    assert float(lm.token_nats(tokens, targets, source=source).mean()) < before - 0.3


def test_building_any_body_leaves_the_global_generator_alone():
    before = torch.get_rng_state()
    for body in BODIES:
        first, second = (model(body=body, position="none").state_dict() for _ in range(2))
        assert all(torch.equal(first[key], second[key]) for key in first)
        assert not any(torch.equal(first[key], value) for key, value in other(body).items() if value.std() > 0)
    assert torch.equal(torch.get_rng_state(), before)


def other(body: str) -> dict[str, torch.Tensor]:
    """The matrices of the same body from another seed."""
    made = model(body=body, position="none", seed=1).state_dict()
    return {key: value for key, value in made.items() if value.ndim == 2}
