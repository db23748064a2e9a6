"""Mean states of a layer, against a loop over every position by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from rowspace.probing.mean_states import find_windows, mean_states
from rowspace.table import TokenTable
from tests.probing.subjects import ignore, subject


def read(run, layer: int) -> TokenTable:
    model, stream = run.model, run.stream("val")
    return mean_states(
        run.table,
        layer,
        stream=stream,
        n_ctx=model.n_ctx,
        isolated=False,
        states=lambda batch: model.states(batch.ids, batch.positions, batch.segments),
        progress=ignore,
    )


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_a_row_is_the_mean_of_its_states_and_its_count_how_often_it_was_read(tmp_path, layer):
    run = subject(tmp_path, "position=learned")
    found, stream, T = read(run, layer), run.stream("val"), run.model.n_ctx
    sums, counts = np.zeros((found.V, run.model.d)), np.zeros(found.V, dtype=np.int64)
    for start in range(0, stream.N - T, T):
        ids = torch.from_numpy(stream.ids[start : start + T].astype(np.int64))
        h = run.model.states(ids[None])[layer][0].detach().numpy()
        for id_, state in zip(ids.tolist(), h, strict=True):
            sums[id_] += state
            counts[id_] += 1
    seen = counts > 0
    assert found.counts is not None
    np.testing.assert_array_equal(found.counts, counts)
    np.testing.assert_allclose(found.vectors[seen], sums[seen] / counts[seen, None], rtol=1e-5, atol=1e-6)
    assert found.special == run.table.special | set(np.flatnonzero(~seen).tolist())
    assert not found.vectors[~seen].any()
    assert found.source["table"] == f"layer{layer}"


def test_without_additive_positions_layer_0_is_E_itself(tmp_path):
    run = subject(tmp_path, "position=rope")
    found = read(run, 0)
    seen = sorted(set(range(found.V)) - found.special)
    assert len(seen) > 10
    scale = found.vectors[seen[0], 0] / run.table.vectors[seen[0], 0]
    np.testing.assert_allclose(found.vectors[seen], scale * run.table.vectors[seen], rtol=1e-5)


def test_what_is_read_is_bounded_and_spread_over_the_text(tmp_path, monkeypatch):
    stream = replace(subject(tmp_path).stream("val"))
    whole = find_windows(stream, 8)
    assert whole.tolist() == list(range(0, stream.N - 8, 8))
    monkeypatch.setattr("rowspace.probing.mean_states.TOKENS", 80)
    some = find_windows(stream, 8)
    assert len(some) == 10
    assert set(some) <= set(whole)
    assert (some[0], some[-1]) == (whole[0], whole[-1])
    assert find_windows(stream, 10 * stream.N).tolist() == [0]
