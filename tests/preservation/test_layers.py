"""Layers of a run: read once for all, means as the probes have them, and tokens told from single states."""

from __future__ import annotations

import numpy as np
import torch

from rowspace.preservation.layers import Remembered, open_layers
from rowspace.probing.mean_states import mean_states
from tests.probing.subjects import ignore


def test_a_layer_is_the_mean_states_of_the_probes_with_counts_of_training(ground, run):
    subject = ground.run_subject(run())
    layers = open_layers(subject, ground)
    assert layers.n == 3
    model = subject.model
    expected = mean_states(
        subject.tables["E"],
        2,
        stream=ground.streams["val"],
        n_ctx=32,
        isolated=False,
        states=lambda batch: model.states(batch.ids, batch.positions, batch.segments),
        progress=ignore,
    )
    found = layers.table(2)
    assert np.array_equal(found.vectors, expected.vectors)
    assert np.array_equal(found.counts, ground.counts)
    assert found.special == expected.special


def test_states_are_computed_once_for_all_layers(ground, run):
    subject = ground.run_subject(run())
    layers, calls = open_layers(subject, ground), []
    subject.model.register_forward_pre_hook(lambda *given: calls.append(1))
    body = subject.model.body
    handle = body.register_forward_pre_hook(lambda *given: calls.append(1))
    layers.table(0)
    first = len(calls)
    layers.table(1), layers.recover(2)
    handle.remove()
    assert len(calls) == first > 0


def test_more_than_fits_is_computed_again(monkeypatch, ground):
    monkeypatch.setattr("rowspace.preservation.layers.HELD", 100)
    calls = []

    def states(batch):
        calls.append(1)
        return [torch.zeros(1, 8, 4)]

    remembered = Remembered(states)
    batch = type("B", (), {"ids": torch.arange(8)[None]})()
    remembered(batch), remembered(batch)
    assert len(calls) == 2


def test_a_token_is_told_from_a_state_that_is_its_row_and_less_surely_from_one_that_is_not(ground, run):
    layers = open_layers(ground.run_subject(run()), ground)
    rows, states = layers.recover(0), layers.recover(2)
    assert rows.share == 1.0
    assert rows.n == states.n > 8
    assert rows.null.chance < 0.5
