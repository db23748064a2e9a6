"""One step cut into its parts, against closed forms and torch's own optimizers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rowspace.geometry.updates import FIELDS, RowTally, find_means_by_band, measure_step


def step(before, after, inside=None, outside=None, shrink=0.0):
    given = [None if x is None else torch.tensor(x, dtype=torch.float32) for x in (before, after, inside, outside)]
    return measure_step(given[0], given[1], input_gradient=given[2], output_gradient=given[3], shrink=shrink)


def test_the_step_of_the_chapter() -> None:
    """A72: row (.8, -.1), gradient (.2, -.4), rate .1: it moves by .1 * |(.2, -.4)|, and its neighbour stays."""
    found = step([[0.8, -0.1], [1, 1]], [[0.78, -0.06], [1, 1]], inside=[[0.2, -0.4], [0, 0]])
    assert found.with_gradient.tolist() == pytest.approx([0.1 * np.hypot(0.2, 0.4), 0], abs=1e-7)
    assert found.without_gradient.tolist() == [0, 0]
    assert found.input_energy.tolist() == pytest.approx([0.2, 0])
    assert found.moved.tolist() == [1, 0]
    assert found.output_energy.tolist() == [0, 0]
    assert found.output_share() == 0


def test_rows_that_decay_alone_move_by_decay_alone() -> None:
    """A29: AdamW, lr .01, decay .1, 100 steps: a row of norm 1 that nobody sees ends at 0.904792."""
    row = torch.nn.Parameter(torch.tensor([[0.6, 0.8]]))
    row.grad = torch.zeros(1, 2)
    adamw, gone = torch.optim.AdamW([row], lr=0.01, weight_decay=0.1), 0.0
    for _ in range(100):
        before = row.detach().clone()
        adamw.step()
        found = measure_step(before, row.detach(), input_gradient=row.grad, output_gradient=None, shrink=0.001)
        assert found.without_gradient.tolist() == found.with_gradient.tolist() == [0]
        assert found.moved.tolist() == [1]
        gone += float(found.by_decay)
    assert float(row.detach().norm()) == pytest.approx(0.904792, rel=1e-5)
    assert 1 - gone == pytest.approx(0.904792, rel=1e-5)


def test_momentum_is_what_moves_a_row_without_gradient() -> None:
    found = step([[1.0, 0], [0, 1]], [[1.0, 0.5], [0, 1]], inside=[[0, 0], [0, 0]], outside=[[0, 0], [0, 3]])
    assert found.without_gradient.tolist() == [0.5, 0]
    assert found.with_gradient.tolist() == [0, 0]
    assert found.shares() == {
        "rows_with_input_gradient": 0.0,
        "rows_with_output_gradient": 0.5,
        "rows_moved": 0.5,
        "rows_moved_without_gradient": 0.5,
    }


def test_the_energy_of_both_sides_is_shared_out() -> None:
    found = step([[0.0]], [[0.0]], inside=[[1.0]], outside=[[3.0]])
    assert found.output_share() == pytest.approx(0.9)
    assert step([[0.0]], [[0.0]]).output_share() is None


def test_a_tally_is_the_mean_of_its_steps_and_bands_are_means_of_rows() -> None:
    tally = RowTally()
    tally.add(step([[1.0], [2.0]], [[2.0], [2.0]], inside=[[2.0], [0.0]]))
    tally.add(step([[1.0], [2.0]], [[1.0], [2.0]], inside=[[0.0], [0.0]]))
    means = tally.means()
    assert set(means) == set(FIELDS)
    assert means["input_energy"].tolist() == [2, 0]
    assert means["moved"].tolist() == means["input_hit"].tolist() == means["with_gradient"].tolist() == [0.5, 0]
    rows = find_means_by_band({"x": np.array([1.0, 2.0, 4.0, 9.0])}, np.array([0, 10, 10, -1]))
    assert rows == [{"decile": 0, "tokens": 1, "x": 1.0}, {"decile": 10, "tokens": 2, "x": 3.0}]
    assert RowTally().means() == {}
