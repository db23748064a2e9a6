"""Steps on a copy: the very steps of training, and nothing left behind."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rowspace.data.batch import Batch
from rowspace.model.ledger import state_hash
from rowspace.training.rehearsal import rehearse
from tests.parts import ids, model, option, shape


def batch_of(seed: int) -> Batch:
    tokens = ids(seed=seed)
    return Batch(tokens, tokens.roll(-1, 1), None, None, torch.ones_like(tokens))


BATCHES = [batch_of(seed) for seed in (1, 2, 3)]


def rehearsed(lm: Any, batches: Any = BATCHES, **choices: Any) -> Any:
    chosen = {
        "optimizer_option": option("optimizer", "sgd", lr=0.5),
        "schedule": option("schedule", "constant", warmup_steps=0),
    }
    return rehearse(lm, batches, trainer=option("trainer", "default", clip=None), **{**chosen, **choices})


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_its_steps_are_those_of_the_textbook_in_the_models_own_type(dtype: torch.dtype):
    lm = model().to(dtype)
    before = state_hash(lm)
    found = rehearsed(lm)
    assert state_hash(lm) == before
    assert all(p.grad is None for p in lm.parameters())
    hand, losses = model().to(dtype), []
    for batch in BATCHES:
        nats, n = hand.loss(hand(batch.ids), batch.targets)
        losses.append(float((nats / n).detach()))
        for p, gradient in zip(hand.parameters(), torch.autograd.grad(nats / n, list(hand.parameters())), strict=True):
            p.data -= 0.5 * gradient
    assert found.losses == pytest.approx(losses, rel=1e-6)
    for one, other in zip(found.model.parameters(), hand.parameters(), strict=True):
        assert one.dtype == dtype
        torch.testing.assert_close(one, other)
    assert not found.model.training


def test_each_step_is_audited():
    audits = rehearsed(model(head=option("head", "linear", tie=False))).audits
    for batch, audit in zip(BATCHES, audits, strict=True):
        assert round(40 * audit["updates/E/rows_with_input_gradient"]) == len(batch.ids.unique())
        assert audit["updates/E/rows_moved"] == audit["updates/E/rows_with_input_gradient"]
        assert audit["updates/E/moved_by_decay"] == 0
    decays = option("optimizer", "adamw", decay_embedding=True)
    assert rehearsed(model(), optimizer_option=decays).audits[0]["updates/E/moved_by_decay"] > 0


def test_dropout_is_the_same_each_time_and_the_global_generator_is_left_alone():
    lm = model(model=shape(dropout=0.5))
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first = rehearsed(lm).losses
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(6)
    assert rehearsed(lm).losses == first
    assert rehearsed(model()).losses != first
