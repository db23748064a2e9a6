"""The two sides of a table's gradient, against a model with one leaf a side and a scatter by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from rowspace.callbacks.sides import Sides, pass_back
from rowspace.data.batch import Batch
from tests.parts import ids, model, names, option, source_for

V = 40


def sides_of(made, batch: Tensor, targets: Tensor, source: Tensor | None = None) -> Sides:
    """One backward pass of the mean loss, watched."""
    tables = {"E": made.embedding.weight} | ({} if made.tied else {"U": made.head.weight})
    sides = Sides(tables)
    states = made(batch, None, None, source)
    nats, scored = made.loss(states, targets)
    sides.trace(states, nats)
    (nats / scored).backward()
    sides.close()
    return sides


@pytest.mark.parametrize("body", names("body"))
def test_the_parts_are_those_of_a_model_with_a_leaf_for_each_side(body: str) -> None:
    made, batch, targets, source = model(body=body), ids(seed=1), ids(seed=2), source_for(body)
    sides = sides_of(made, batch, targets, source)
    twin = model(body=body)
    twin.head.weight = torch.nn.Parameter(twin.head.weight.detach().clone())  # the same numbers, another leaf
    nats, scored = twin.loss(twin(batch, None, None, source), targets)
    (nats / scored).backward()
    inside, outside = sides.part("E", "input"), sides.part("E", "output")
    torch.testing.assert_close(inside, twin.embedding.weight.grad, rtol=1e-5, atol=1e-8)
    torch.testing.assert_close(outside, twin.head.weight.grad, rtol=1e-5, atol=1e-8)
    torch.testing.assert_close(inside + outside, made.embedding.weight.grad, rtol=1e-5, atol=1e-8)
    read = batch if source is None else torch.cat([batch, source], dim=1)
    assert set(inside.abs().sum(1).nonzero()[:, 0].tolist()) == set(read.flatten().tolist())
    assert (outside.abs().sum(1) > 0).all()


def test_the_input_side_is_the_scatter_of_the_gradient_of_h0() -> None:
    """A71: ids 2, 0, 2 with gradients (1, 0), (0, 1), (.5, .5) give row 0 (0, 1), row 2 (1.5, .5), no other row."""
    E = torch.nn.Parameter(torch.ones(4, 2))
    upstream = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    states = torch.nn.functional.embedding(torch.tensor([2, 0, 2]), E)
    loss = (states * upstream).sum() + (E * torch.tensor([3.0, 4.0])).sum()
    sides = Sides({"E": E})
    sides.trace(states, loss)
    loss.backward()
    wanted = np.zeros((4, 2))
    np.add.at(wanted, [2, 0, 2], upstream.numpy())
    assert sides.part("E", "input").tolist() == wanted.tolist() == [[0, 1], [0, 0], [1.5, 0.5], [0, 0]]
    assert sides.part("E", "output").tolist() == [[3, 4]] * 4


def test_an_untied_table_has_one_side_each() -> None:
    made = model(head=option("head", "linear", tie=False))
    sides = sides_of(made, ids(seed=1), ids(seed=2))
    assert torch.equal(sides.part("E", "input"), made.embedding.weight.grad)
    assert torch.equal(sides.part("U", "output"), made.head.weight.grad)
    assert sides.part("E", "output") is None
    assert sides.part("U", "input") is None


def test_a_sparse_gradient_is_read_with_its_repeated_rows_added_up() -> None:
    made = model(head=option("head", "linear", tie=False))
    made.embedding.sparse = True
    sides = sides_of(made, ids(seed=1), ids(seed=2))
    torch.testing.assert_close(sides.part("E", "input"), made.embedding.weight.grad.to_dense())


def test_watching_changes_no_gradient_and_what_was_read_does_not_change_with_it() -> None:
    watched, alone = model(), model()
    sides = sides_of(watched, ids(seed=1), ids(seed=2))
    nats, scored = alone.loss(alone(ids(seed=1)), ids(seed=2))
    (nats / scored).backward()
    for (name, one), (_, two) in zip(watched.named_parameters(), alone.named_parameters(), strict=True):
        assert torch.equal(one.grad, two.grad), name
    untied = model(head=option("head", "linear", tie=False))
    for made, table, side, weight in (
        (watched, "E", "output", watched.embedding.weight),
        (untied, "E", "input", untied.embedding.weight),
        (untied, "U", "output", untied.head.weight),
    ):
        sides = sides if made is watched else sides_of(made, ids(seed=1), ids(seed=2))
        before = sides.part(table, side).clone()
        weight.grad.mul_(0)  # as clipping does, in place
        assert torch.equal(sides.part(table, side), before)
        made.zero_grad()


def test_closed_hooks_read_nothing_more() -> None:
    made = model()
    sides = sides_of(made, ids(seed=1), ids(seed=2))
    before = sides.part("E", "input").clone()
    nats, _ = made.loss(made(ids(seed=3)), ids(seed=4))
    nats.backward()
    assert torch.equal(sides.part("E", "input"), before)


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("body", names("body"))
def test_a_pass_back_has_each_look_up_and_their_sum_and_leaves_the_model_without_a_gradient(
    body: str, tie: bool
) -> None:
    embedding = option("embedding", "normal", scale=2.5)
    made = model(body=body, head=option("head", "linear", tie=tie), embedding=embedding, position="none").double()
    read, targets, source = ids(seed=1), ids(seed=2), source_for(body)
    passed = pass_back(made, Batch(read, targets, None, None, read, source))
    assert [p.grad for p in made.parameters() if p.grad is not None] == []
    assert len(passed.ids) == read.numel() + (0 if source is None else source.numel())
    assert passed.scatter_error() < 1e-12
    wanted = np.zeros((V, 16))
    np.add.at(wanted, passed.ids.numpy(), passed.looked_up.numpy())
    assert passed.parts["E", "input"].numpy() == pytest.approx(wanted, abs=1e-12)
    made.loss(made(read, None, None, source), targets)[0].backward()
    torch.testing.assert_close(passed.whole("E"), made.embedding.weight.grad, rtol=1e-10, atol=1e-10)
    assert ("U", "output") in passed.parts if not tie else ("E", "output") in passed.parts
