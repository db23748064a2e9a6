"""SparseAdam for the table beside AdamW for the rest: both steps are torch's, in one optimizer that survives a load."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import optim

from rowspace.model.language_model import LanguageModel
from rowspace.training.optimizer import build, clip_gradients
from tests.parts import ids, model, option, shape
from tests.training.test_task import batch_of_lengths, fit

BETAS: dict[str, Any] = {"betas": (0.9, 0.95), "eps": 1e-8}


def untied(**choices: Any) -> LanguageModel:
    return model(head=option("head", "linear", tie=False), **choices)


def train(lm: LanguageModel, optimizer: optim.Optimizer, seeds: range) -> None:
    """A clipped step a seed, on few tokens."""
    for seed in seeds:
        tokens = ids(V=12, B=1, T=6, seed=seed)
        lm.zero_grad()
        lm.loss(lm(tokens), tokens.roll(-1, 1))[0].backward()
        clip_gradients(lm.parameters(), 1.0)
        optimizer.step()


def test_the_steps_are_those_of_torchs_two_optimizers() -> None:
    ours, theirs = untied(), untied()
    train(ours, build(ours, option("optimizer", "sparse_adam", lr=0.01, weight_decay=0.1)), range(5))
    theirs.embedding.sparse = True
    named = {name: p for name, p in theirs.named_parameters() if name != "embedding.weight"}
    groups = [
        {"params": [p for p in named.values() if p.ndim == 2], "weight_decay": 0.1},
        {"params": [p for p in named.values() if p.ndim != 2], "weight_decay": 0.0},
    ]
    rest = optim.AdamW(groups, lr=0.01, fused=True, **BETAS)
    table = optim.SparseAdam([theirs.embedding.weight], lr=0.01, **BETAS)
    both: Any = SimpleNamespace(step=lambda: (rest.step(), table.step()))
    train(theirs, both, range(5))
    assert [name for name, p in ours.named_parameters() if not torch.equal(p, theirs.get_parameter(name))] == []


def test_the_rows_that_no_batch_holds_are_bit_for_bit_those_of_the_start() -> None:
    lm = untied()
    before = lm.embedding.weight.detach().clone()
    train(lm, build(lm, option("optimizer", "sparse_adam", weight_decay=0.1)), range(20))
    assert torch.equal(lm.embedding.weight[12:], before[12:])
    assert not torch.equal(lm.embedding.weight[:12], before[:12])


def test_a_row_waits_with_its_moments_where_adamw_goes_on_moving_it() -> None:
    """Row 0 is met at the first and the third step, row 1 at the second: by the formula, in float64."""
    upstream, lr = [0.5, None, -0.25], 0.1
    m, v, row = 0.0, 0.0, 1.0
    for step, g in enumerate(upstream, start=1):
        if g is not None:
            m, v = 0.9 * m + 0.1 * g, 0.95 * v + 0.05 * g * g
            row -= lr * (m / (1 - 0.9**step)) / ((v / (1 - 0.95**step)) ** 0.5 + 1e-8)
    lm = untied(model=shape(d=2))
    with torch.no_grad():
        lm.embedding.weight[0] = 1.0
    optimizer = build(lm, option("optimizer", "sparse_adam", lr=lr))
    for g in upstream:
        lm.zero_grad()
        lm.embedding(torch.tensor([1 if g is None else 0])).backward(torch.full((1, 2), g or 1.0))
        optimizer.step()
    torch.testing.assert_close(lm.embedding.weight.detach()[0], torch.full((2,), row), rtol=1e-6, atol=0)


def test_a_load_in_the_middle_ends_in_the_same_bits(tmp_path: Path) -> None:
    settings = option("optimizer", "sparse_adam", embedding_lr_factor=0.5, weight_decay=0.1)
    whole = untied()
    train(whole, build(whole, settings), range(8))
    first = untied()
    optimizer = build(first, settings)
    train(first, optimizer, range(4))
    torch.save({"model": first.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "half")
    saved = torch.load(tmp_path / "half", weights_only=True)
    second = untied(seed=5)
    again = build(second, settings)
    second.load_state_dict(saved["model"])
    again.load_state_dict(saved["optimizer"])
    train(second, again, range(4, 8))
    assert all(torch.equal(p, q) for p, q in zip(whole.parameters(), second.parameters(), strict=True))
    assert len(again.state) == len(list(second.parameters()))


def test_a_rate_that_is_set_on_its_groups_is_the_one_of_the_step() -> None:
    for lr, moves in ((0.0, False), (0.1, True)):
        lm = untied()
        start = [p.detach().clone() for p in lm.parameters()]
        optimizer = build(lm, option("optimizer", "sparse_adam", weight_decay=0.1))
        optimizer.load_state_dict(optimizer.state_dict())
        for group in optimizer.param_groups:
            group["lr"] = lr
        train(lm, optimizer, range(1))
        assert all(torch.equal(p, q) != moves for p, q in zip(lm.parameters(), start, strict=True))


@pytest.mark.parametrize("accumulate", [1, 2])
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_it_trains_in_the_loop_of_every_run(accumulate: int, precision: str) -> None:
    settings = option("optimizer", "sparse_adam", lr=0.01)
    batches = [batch_of_lengths(12, 12, seed=seed % 2) for seed in range(12)]
    task, _ = fit(
        batches,
        accumulate=accumulate,
        clip=1.0,
        optimizer=lambda module: build(module, settings),
        head=option("head", "linear", tie=False),
        precision=precision,
    )
    assert task.model.embedding.weight.grad is not None
    assert task.model.embedding.weight.grad.is_sparse
    last = float(task.model.token_nats(batches[0].ids, batches[0].targets).mean())
    assert last < untied().first_loss() - 0.5
