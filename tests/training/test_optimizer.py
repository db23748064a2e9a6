"""Which parameters decay, and what one step does to rows that were and were not seen."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rowspace.data.batch import Batch
from rowspace.model.embedding import TokenEmbedding
from rowspace.registry import options
from rowspace.training.optimizer import build, clip_gradients, measure_plain_step_error, parameter_groups
from tests.parts import ids, model, names, option


def table(rows: list[list[float]]) -> torch.nn.Module:
    """A model that is only a table."""
    holder = torch.nn.Module()
    holder.embedding = TokenEmbedding(weight=torch.tensor(rows), scale=1.0)
    return holder


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("decay_embedding", [True, False])
@pytest.mark.parametrize("name", names("optimizer"))
def test_every_parameter_is_in_one_group_by_name(name: str, decay_embedding: bool, tie: bool):
    lm = model(position="learned", head=option("head", "linear", tie=tie, bias="zero"))
    settings = option("optimizer", name, weight_decay=0.3, decay_embedding=decay_embedding)
    groups = {group["name"]: group for group in parameter_groups(lm, settings)}
    assert list(groups) == ["decay", "no_decay", "embedding"]
    decay, rest, table = (set(group["names"]) for group in groups.values())
    assert len(decay) + len(rest) + len(table) == len(decay | rest | table)
    assert decay | rest | table == {name for name, _ in lm.named_parameters()}
    assert table == {"embedding.weight"}
    assert ("head.weight" in decay) == (not tie)
    assert {"position.table", "head.bias", "body.norm.weight"} <= rest
    assert "body.blocks.0.attention.qkv.weight" in decay
    assert [group["weight_decay"] for group in groups.values()] == [0.3, 0.0, 0.3 if decay_embedding else 0.0]
    optimizer = build(lm, settings)
    assert sum(len(group["params"]) for group in optimizer.param_groups) == len(list(lm.parameters()))


@pytest.mark.parametrize("name", names("optimizer"))
def test_the_table_learns_at_its_own_rate(name: str):
    tokens = torch.tensor([[3, 5, 3, 9]])

    def moves(factor: float) -> tuple[torch.Tensor, torch.Tensor]:
        lm = model(head=option("head", "linear", tie=False))
        starts = [lm.embedding.weight.detach().clone(), lm.head.weight.detach().clone()]
        optimizer = build(lm, option("optimizer", name, embedding_lr_factor=factor, lr=0.01))
        lm.loss(lm(tokens), tokens)[0].backward()
        optimizer.step()
        return lm.embedding.weight.detach() - starts[0], lm.head.weight.detach() - starts[1]

    (plain, head), (faster, same), (frozen, also) = moves(1.0), moves(3.0), moves(0.0)
    assert float(plain.abs().max()) > 0
    torch.testing.assert_close(faster, 3 * plain, rtol=1e-3, atol=1e-6)
    assert float(frozen.abs().max()) == 0
    assert torch.equal(head, same)
    assert torch.equal(head, also)


def test_one_plain_step_moves_a_row_against_its_gradient():
    lm = table([[0.0, 0.0], [1.0, 1.0], [0.8, -0.1]])
    optimizer = build(lm, option("optimizer", "sgd", lr=0.1))
    lm.embedding(torch.tensor(2)).backward(torch.tensor([0.2, -0.4]))
    optimizer.step()
    expected = torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.78, -0.06]])
    torch.testing.assert_close(lm.embedding.weight.detach(), expected, atol=1e-7, rtol=0)


def moved(lm: torch.nn.Module, before: torch.Tensor) -> list[int]:
    """Rows that differ."""
    return (lm.embedding.weight.detach() != before).any(1).nonzero()[:, 0].tolist()


def step_on(lm: torch.nn.Module, optimizer: torch.optim.Optimizer, *rows: int) -> list[int]:
    """One step on the rows; which moved."""
    before = lm.embedding.weight.detach().clone()
    optimizer.zero_grad()
    lm.embedding(torch.tensor(rows)).sum().backward()
    optimizer.step()
    return moved(lm, before)


ALL = list(range(10))


@pytest.mark.parametrize(
    ("name", "changes", "first", "second"),
    [
        ("sgd", {}, [1, 2], [5]),
        ("sgd", {"momentum": 0.9}, [1, 2], [1, 2, 5]),
        ("sparse_adam", {}, [1, 2], [5]),
        ("adamw", {"weight_decay": 0.1}, [1, 2], [1, 2, 5]),  # momentum moves rows whose gradient is 0
        ("adamw", {"weight_decay": 0.1, "decay_embedding": True}, ALL, ALL),
        ("sgd", {"weight_decay": 0.1, "decay_embedding": True}, ALL, ALL),
    ],
)
def test_which_rows_move_depends_on_the_optimizer_and_not_on_the_gradient_alone(
    name: str, changes: dict[str, Any], first: list[int], second: list[int]
):
    lm = table(torch.randn(10, 4, generator=torch.Generator().manual_seed(0)).tolist())
    optimizer = build(lm, option("optimizer", name, **changes))
    assert [step_on(lm, optimizer, 1, 2), step_on(lm, optimizer, 5)] == [first, second]


@pytest.mark.parametrize(
    "name", [name for name in names("optimizer") if not options("optimizer")[name].sparse_embedding]
)
def test_tied_every_row_moves_whatever_the_optimizer(name: str):
    lm, tokens = model(10, head=option("head", "linear", tie=True)), torch.tensor([[1, 2]])
    before = lm.embedding.weight.detach().clone()
    optimizer = build(lm, option("optimizer", name))
    lm.loss(lm(tokens), tokens)[0].backward()
    optimizer.step()
    assert moved(lm, before) == ALL


def gradients(lm: torch.nn.Module, sparse: bool, *batches: torch.Tensor) -> torch.nn.Module:
    """The model with the gradients of all batches together."""
    lm.embedding.sparse = sparse
    for tokens in batches:
        lm.loss(lm(tokens), tokens.roll(-1, 1))[0].backward()
    assert lm.embedding.weight.grad.is_sparse == sparse
    return lm


@pytest.mark.parametrize("limit", [0.5, 1e9, float("inf")])
def test_clipping_sparse_and_dense_gradients_is_the_same(limit: float):
    untied = option("head", "linear", tie=False)
    # ids come several times, in a batch and over micro-batches: the norm is that of their sum
    batches = [torch.tensor([[3, 5, 3, 3], [5, 3, 9, 3]]), torch.tensor([[3, 3, 1, 9]])]
    dense, rows = (gradients(model(head=untied), sparse, *batches) for sparse in (False, True))
    reference = gradients(model(head=untied), False, *batches)
    expected = torch.nn.utils.clip_grad_norm_(reference.parameters(), limit)
    for lm in (dense, rows):
        torch.testing.assert_close(clip_gradients(lm.parameters(), limit), expected)
        for ours, theirs in zip(lm.parameters(), reference.parameters(), strict=True):
            torch.testing.assert_close(ours.grad.to_dense(), theirs.grad)
    assert float(expected) > 0.5


def test_clipping_leaves_parameters_without_a_gradient_alone():
    lm = table([[3.0, 4.0]])
    lm.other = torch.nn.Parameter(torch.ones(2))
    lm.embedding(torch.tensor([0])).backward(torch.tensor([[3.0, 4.0]]))
    assert float(clip_gradients(lm.parameters(), 1.0)) == 5.0
    torch.testing.assert_close(lm.embedding.weight.grad, torch.tensor([[0.6, 0.8]]))
    assert lm.other.grad is None


def test_the_form_of_the_gradient_is_the_one_that_the_optimizer_reads():
    lm = model(head=option("head", "linear", tie=False))
    for name, sparse in (("sparse_adam", True), ("adamw", False)):
        build(lm, option("optimizer", name))
        assert lm.embedding.sparse == sparse


def test_a_sparse_gradient_is_the_dense_one_without_its_empty_rows():
    batch = torch.tensor([[3, 5, 3, 9]])
    dense, rows = (gradients(model(head=option("head", "linear", tie=False)), s, batch) for s in (False, True))
    found = rows.embedding.weight.grad.coalesce()
    assert found.indices().tolist() == [[3, 5, 9]]
    torch.testing.assert_close(found.to_dense(), dense.embedding.weight.grad)


def test_a_row_that_no_batch_holds_only_decays():
    lm = table([[0.6, 0.8], [1.0, 2.0]])
    optimizer = build(lm, option("optimizer", "adamw", lr=0.01, weight_decay=0.1, decay_embedding=True))
    for _ in range(100):
        step_on(lm, optimizer, 1)
    assert float(lm.embedding.weight.detach()[0].norm()) == pytest.approx(0.904792, abs=1e-5)


def test_the_optimizers_state_survives_a_load_that_unpickles_no_code(tmp_path):
    lm, tokens = model(), ids()
    optimizer = build(lm, option("optimizer", "adamw"))
    lm.loss(lm(tokens), tokens)[0].backward()
    optimizer.step()
    torch.save(optimizer.state_dict(), tmp_path / "state.pt")
    again = build(model(), option("optimizer", "adamw"))
    again.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
    assert [group["names"] for group in again.param_groups] == [group["names"] for group in optimizer.param_groups]


def test_tied_every_row_of_the_table_gets_a_gradient_and_untied_only_those_of_the_batch():
    tokens = torch.tensor([[3, 5, 3, 9]])
    for tie, expected in ((True, set(range(40))), (False, {3, 5, 9})):
        lm = model(head=option("head", "linear", tie=tie))
        lm.loss(lm(tokens), tokens)[0].backward()
        assert set((lm.embedding.weight.grad.abs().sum(1) > 0).nonzero()[:, 0].tolist()) == expected


def test_a_tied_gradient_is_the_sum_of_input_and_output_side():
    tokens = ids()
    both = model(head=option("head", "linear", tie=True))
    both.loss(both(tokens), tokens)[0].backward()
    apart = model(head=option("head", "linear", tie=False))
    with torch.no_grad():
        apart.head.weight.copy_(apart.embedding.weight)
    assert apart.head.logit_scale == pytest.approx(both.head.logit_scale)
    apart.loss(apart(tokens), tokens)[0].backward()
    torch.testing.assert_close(both.embedding.weight.grad, apart.embedding.weight.grad + apart.head.weight.grad)


@pytest.mark.parametrize(("tie", "moved"), [(True, 40), (False, len(ids().unique()))])
def test_a_plain_step_is_the_chapters_and_moves_the_rows_that_have_a_gradient(tie: bool, moved: int):
    lm = model(head=option("head", "linear", tie=tie)).double()
    before = lm.embedding.weight.detach().clone()
    batch = Batch(ids(), ids(seed=2), None, None, ids())
    error, rows = measure_plain_step_error(lm, batch, lr=0.1)
    assert error < 1e-12
    assert rows == moved
    assert torch.equal(lm.embedding.weight, before)
