"""The training step: its gradient is that of the mean over all tokens, however they are cut into micro-batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytorch_lightning as lightning
import torch
from torch import nn

from rowspace.data.batch import NOT_SCORED, Batch
from rowspace.data.batches import TrainingBatches
from rowspace.data.stream import open_or_build
from rowspace.model.certificates import TieCertificate
from rowspace.training.fitting import run_steps
from rowspace.training.ranks import Ranks
from rowspace.training.task import Task
from tests.parts import model, option, shape

V, T = 40, 12


def batch_of_lengths(*lengths: int, seed: int = 0) -> Batch:
    """One row a length: so many scored targets, the rest not scored."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, V, (len(lengths), T), generator=generator)
    targets = torch.randint(0, V, (len(lengths), T), generator=generator)
    for row, length in enumerate(lengths):
        targets[row, length:] = NOT_SCORED
    return Batch(ids, targets, None, None, (targets >= 0).long() * 2)


class _Records(lightning.Callback):
    def __init__(self) -> None:
        self.learning_rates: list[float] = []

    def on_train_batch_end(self, trainer: Any, pl_module: Any, *_: Any) -> None:
        self.learning_rates.append(pl_module.optimizers().param_groups[0]["lr"])


class _Given:
    """Batches as a loader; Lightning takes a bare list for several loaders."""

    def __init__(self, batches: list[Batch]) -> None:
        self._batches = batches

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[Batch]:
        return iter(self._batches)


def fit(
    batches: list[Batch],
    *,
    accumulate: int = 1,
    clip: float | None = None,
    optimizer: Callable[[nn.Module], torch.optim.Optimizer] | None = None,
    schedule: str = "constant",
    precision: str = "fp32",
    ranks: Ranks | None = None,
    **choices: Any,
) -> tuple[Task, _Records]:
    made = model(V, **choices)
    task = Task(
        model=made,
        optimizer=optimizer or (lambda module: torch.optim.SGD(module.parameters(), lr=1.0)),
        schedule=option("schedule", schedule, warmup_steps=0),
        total_steps=len(batches),
        accumulate=accumulate,
        clip=clip,
        tie=TieCertificate(made.tied),
        facts={},
        ranks=ranks,
    )
    records = _Records()
    settings = option("trainer", "default", precision=precision)
    run_steps(task, _Given(batches), option=settings, callbacks=[records], resume=None)
    return task, records


def test_two_micro_batches_of_3_and_9_tokens_make_the_step_of_one_batch() -> None:
    batch = batch_of_lengths(3, 9)
    whole, _ = fit([batch])
    parts, _ = fit([batch], accumulate=2)
    start = dict(model(V).named_parameters())
    for (name, one), (_, two) in zip(whole.named_parameters(), parts.named_parameters(), strict=True):
        gradient = (one - start[name.removeprefix("model.")]).detach()  # lr 1
        assert float((one - two).detach().abs().max()) <= 1e-6 * max(1.0, float(gradient.abs().max()))
    assert whole.take_tally().loss == pytest.approx(parts.take_tally().loss, abs=1e-6)


class _Apart(Ranks):
    """A rank whose neighbours say nothing."""

    def add(self, numbers: torch.Tensor) -> torch.Tensor:
        return numbers


@pytest.mark.parametrize("accumulate", [1, 2])
def test_the_gradients_of_two_ranks_average_to_that_of_the_whole_batch(accumulate: int) -> None:
    batch = batch_of_lengths(3, 9, 12, 1)
    whole, _ = fit([batch])
    ranks = [fit([batch], accumulate=accumulate, ranks=_Apart(rank, 2))[0] for rank in range(2)]
    parameters = (dict(task.model.named_parameters()) for task in (whole, *ranks))
    ours, first, second = parameters
    for name, value in ours.items():
        torch.testing.assert_close((first[name] + second[name]) / 2, value, rtol=1e-5, atol=1e-6, msg=name)
        if "norm" not in name:
            assert not torch.equal(first[name], second[name]), name
    tallies = [task.take_tally() for task in (whole, *ranks)]
    assert tallies[0].loss == pytest.approx(tallies[1].loss + tallies[2].loss, rel=1e-5)
    assert {(tally.tokens, tally.bytes) for tally in tallies} == {(25, 50)}  # each knows of all of them


def test_a_step_follows_the_mean_over_tokens_and_not_the_mean_over_rows() -> None:
    batch = batch_of_lengths(3, 9)
    task, _ = fit([batch], accumulate=2)
    oracle = model(V)
    logits = oracle.logits(oracle(batch.ids))
    nn.functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), ignore_index=NOT_SCORED).backward()
    for (name, moved), (_, start) in zip(task.model.named_parameters(), oracle.named_parameters(), strict=True):
        assert start.grad is not None
        torch.testing.assert_close(moved, start - start.grad, rtol=1e-4, atol=1e-6, msg=name)


def test_one_step_of_the_loop_is_the_one_worked_out_by_hand() -> None:
    """Lookup, RMSNorm, scores, softmax and their gradients in float64, with ids that occur several times."""
    choices = {"model": shape(d=4), "body": "none", "position": "none"}
    choices["head"] = option("head", "linear", tie=False, logit_scale=1.0)
    batch = batch_of_lengths(5, 12)
    batch.ids[:] %= 6
    task, _ = fit([batch], **choices)
    start = model(V, **choices)
    E, U = (weight.detach().double().numpy() for weight in (start.embedding.weight, start.head.weight))
    scored = (batch.targets >= 0).numpy()
    ids, targets = batch.ids.numpy()[scored], batch.targets.numpy()[scored]
    x = E[ids]
    rms = np.sqrt((x**2).mean(1, keepdims=True) + 1e-6)
    h = x / rms
    p = np.exp(h @ U.T) / np.exp(h @ U.T).sum(1, keepdims=True)
    dz = (p - np.eye(V)[targets]) / len(ids)
    dh = dz @ U
    dx = (dh - h * (dh * h).mean(1, keepdims=True)) / rms
    dE = np.zeros_like(E)
    for row, gradient in zip(ids, dx, strict=True):
        dE[row] += gradient
    made = task.model
    np.testing.assert_allclose(made.embedding.weight.detach().numpy(), E - dE, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(made.head.weight.detach().numpy(), U - dz.T @ h, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(made.body.norm.weight.detach().numpy(), 1 - (dh * h).sum(0), rtol=1e-4, atol=1e-6)
    assert task.take_tally().loss == pytest.approx(-np.log(p[np.arange(len(ids)), targets]).mean(), rel=1e-5)
    assert not np.array_equal(E - dE, E)
    assert np.array_equal(made.embedding.weight.detach().numpy()[6:], start.embedding.weight.detach().numpy()[6:])


def test_in_a_text_that_goes_round_each_token_learns_the_next_one_and_the_loss_vanishes(tmp_path: Path) -> None:
    tokenizer = option("tokenizer", "byte").fit([])
    stream = open_or_build(tokenizer, [b"abc" * 400], cache=tmp_path)
    batches = TrainingBatches(stream, batch_size=4, n_ctx=T, seed=0, steps=60, isolated=False)
    head = option("head", "linear", tie=False)
    task = Task(
        model=model(257, model=shape(d=32), body="none", position="none", head=head),
        optimizer=lambda module: torch.optim.AdamW(module.parameters(), lr=0.1),
        schedule=option("schedule", "constant", warmup_steps=0),
        total_steps=60,
        accumulate=1,
        clip=None,
        tie=TieCertificate(False),
        facts={},
    )
    run_steps(task, batches, option=option("trainer", "default"), callbacks=[], resume=None)
    a, b, c = tokenizer.encode("abc")
    chosen = task.model.logits(task.model(torch.tensor([[a, b, c]]))).argmax(-1)
    assert chosen.tolist() == [[b, c, a]]
    text = torch.tensor([tokenizer.encode("abc" * 20)])
    assert float(task.model.token_nats(text[:, :-1], text[:, 1:]).mean()) < 0.01


def test_isolated_batches_are_cut_with_their_positions_and_segments() -> None:
    plain = batch_of_lengths(5, 7, 12)
    positions = torch.arange(T).expand(3, T) % 6
    batch = plain._replace(positions=positions, segments=torch.arange(T).expand(3, T) // 6)
    whole, _ = fit([batch])
    parts, _ = fit([batch], accumulate=3)
    other, _ = fit([plain])
    torch.testing.assert_close(whole.model.embedding.weight, parts.model.embedding.weight, rtol=0, atol=1e-5)
    assert not torch.allclose(whole.model.embedding.weight, other.model.embedding.weight, rtol=0, atol=1e-5)


def test_more_micro_batches_than_rows_are_as_many_as_rows() -> None:
    batch = batch_of_lengths(3, 9)
    one, _ = fit([batch], accumulate=2)
    many, _ = fit([batch], accumulate=50)
    assert torch.equal(one.model.embedding.weight, many.model.embedding.weight)


def test_a_batch_without_a_target_moves_nothing() -> None:
    task, _ = fit([batch_of_lengths(0, 0)])
    assert torch.equal(task.model.embedding.weight, model(V).embedding.weight)
    assert task.bad_step() is None


def test_the_gradient_is_clipped_to_its_norm_and_reported_before() -> None:
    batch = batch_of_lengths(12, 12)
    free, _ = fit([batch])
    norm = free.take_tally().grad_norm
    clipped, _ = fit([batch], clip=norm / 4)
    start = model(V)
    moved = [(p - q).detach() for p, q in zip(clipped.model.parameters(), start.parameters(), strict=True)]
    assert float(torch.cat([m.flatten() for m in moved]).norm()) == pytest.approx(norm / 4, rel=1e-4)
    assert clipped.take_tally().grad_norm == pytest.approx(norm, rel=1e-5)


def test_the_learning_rate_follows_the_schedule_of_the_whole_run() -> None:
    batches = [batch_of_lengths(12, seed=seed) for seed in range(4)]
    _, records = fit(batches, schedule="cosine")
    schedule = option("schedule", "cosine", warmup_steps=0)
    assert records.learning_rates == [schedule.factor(step, 4) for step in range(4)]
    assert records.learning_rates[0] > records.learning_rates[-1]


def test_the_tally_is_the_token_weighted_mean_since_the_last_one() -> None:
    batches = [batch_of_lengths(3, 9, seed=1), batch_of_lengths(12, 1, seed=2)]
    still = lambda module: torch.optim.SGD(module.parameters(), lr=1e-12)  # noqa: E731
    task, _ = fit(batches, optimizer=still)
    oracle, nats = model(V), 0.0
    for batch in batches:
        with torch.no_grad():
            logits = oracle.logits(oracle(batch.ids)).flatten(0, 1)
        nats += float(
            nn.functional.cross_entropy(logits, batch.targets.flatten(), ignore_index=NOT_SCORED, reduction="sum")
        )
    tally = task.take_tally()
    assert tally.loss == pytest.approx(nats / 25, rel=1e-5)
    assert (tally.tokens, tally.bytes) == (25, 50)
    assert task.take_tally().tokens == 25


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_the_first_step_that_is_not_finite_is_remembered(value: float) -> None:
    class Breaks(torch.optim.SGD):
        steps = 0

        def step(self, closure: Any = None) -> None:
            Breaks.steps += 1
            if Breaks.steps == 2:
                with torch.no_grad():
                    self.param_groups[0]["params"][0].fill_(value)

    batches = [batch_of_lengths(12, seed=seed) for seed in range(5)]
    task, _ = fit(batches, optimizer=lambda module: Breaks(module.parameters(), lr=0.1))
    assert task.bad_step() == 2


def test_what_a_checkpoint_keeps_of_the_sums_comes_back() -> None:
    task, _ = fit([batch_of_lengths(3, 9)])
    checkpoint: dict[str, Any] = {}
    task.on_save_checkpoint(checkpoint)
    other, _ = fit([batch_of_lengths(1)])
    other.on_load_checkpoint(checkpoint)
    assert other.take_tally()[0::3] == task.take_tally()[0::3]


def test_dropout_is_on_in_training() -> None:
    losses = set()
    for seed in (1, 2):
        torch.manual_seed(seed)
        task, _ = fit([batch_of_lengths(12, 12)], model=shape(dropout=0.5))
        losses.add(task.take_tally().loss)
    assert len(losses) == 2
