"""What the next-token objective leaves alone, and which tokens an objective may choose among."""

from __future__ import annotations

import numpy as np
import torch

from rowspace.data.batch import NOT_SCORED, Batch
from rowspace.data.batches import EvaluationBatches, TrainingBatches
from rowspace.data.objectives import NextToken, generator_for, predicted_tokens


def test_next_tokens_are_the_windows_as_they_are() -> None:
    ids = torch.arange(6).view(1, 6)
    batch = Batch(ids, ids + 1, None, None, torch.ones_like(ids))
    assert NextToken()(batch, [(0,)], evaluating=True) is batch
    assert NextToken.incomplete is None
    assert NextToken().expected(np.array([3, 0, 1]), 2).tolist() == [3, 0, 1]


def test_the_tokens_of_a_window_are_its_targets_and_context_is_known(stream_of) -> None:
    stream = stream_of([bytes(range(i, i + 9)) for i in range(30)])
    scored = []
    for batch in EvaluationBatches(stream, batch_size=3, n_ctx=16, isolated=False):
        tokens, where = predicted_tokens(batch)
        assert torch.equal(tokens[:, :-1], batch.ids[:, 1:])
        assert torch.equal(tokens[where], batch.targets[batch.targets != NOT_SCORED])
        assert bool(where[:, -1].all())
        scored.append(tokens[where])
    assert torch.cat(scored).tolist() == stream.ids[1:].tolist()


def test_draws_depend_on_the_key_alone_and_are_not_those_of_the_window_order(stream_of) -> None:
    assert generator_for((3, 1)).integers(1 << 60) == generator_for([3, 1]).integers(1 << 60)
    others = {int(generator_for(key).integers(1 << 60)) for key in [(3, 1), (3, 2), (1, 3), (3, 1, 0), (3,)]}
    assert len(others) == 5
    order = int(np.random.Generator(np.random.PCG64([3, 1])).integers(1 << 60))
    assert order not in others


def test_each_window_of_a_step_has_a_key_of_its_own_and_a_step_can_be_asked_again(stream_of) -> None:
    asked: list[list[tuple[int, ...]]] = []

    class Listening(NextToken):
        def __call__(self, batch, keys, *, evaluating=False):
            asked.append([*map(tuple, keys)])
            assert not evaluating
            return batch

    stream = stream_of([bytes(range(200))])
    batches = TrainingBatches(stream, batch_size=4, n_ctx=16, seed=7, steps=3, isolated=False, objective=Listening())
    for step in (0, 2, 0):
        batches.batch_at(step)
    assert asked[0] == asked[2] == [(7, 0, 0), (7, 0, 1), (7, 0, 2), (7, 0, 3)]
    assert asked[1] == [(7, 2, 0), (7, 2, 1), (7, 2, 2), (7, 2, 3)]
