"""Gradients and updates by row, measured on live steps: what each optimizer does to rows that no batch holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytorch_lightning as lightning
import torch

from rowspace.callbacks.updates import UpdatesCallback
from rowspace.data.batch import Batch
from rowspace.geometry.updates import FIELDS
from rowspace.metrics.catalogue import find_metric
from rowspace.model.certificates import TieCertificate
from rowspace.table import Missing
from rowspace.training import optimizer
from rowspace.training.fitting import run_steps
from rowspace.training.task import Task
from tests.callbacks.watched import Listed, watched
from tests.parts import model, option, shape

V = 10


def batch_of(*ids: int, source: bool = False) -> Batch:
    """One window of these ids, each predicting the next, the last one the first."""
    given = torch.tensor([ids])
    return Batch(given, given.roll(-1, 1), None, None, torch.ones_like(given), given.flip(1) if source else None)


class Loader:
    """Batches at an absolute position, as training reads them."""

    def __init__(self, batches: list[Batch]) -> None:
        self.batches, self.position = batches, 0

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Any:
        while self.position < len(self.batches):
            self.position += 1
            yield self.batches[self.position - 1]

    def state_dict(self) -> dict[str, Any]:
        return {"position": self.position}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.position = state["position"]


class Losses(lightning.Callback):
    def __init__(self) -> None:
        self.found: list[float] = []

    def on_train_batch_end(self, trainer: Any, pl_module: Any, *_: Any) -> None:
        self.found.append(pl_module.take_tally().loss)


class Saving(lightning.Callback):
    def __init__(self, path: Path, step: int) -> None:
        self.path, self.step = path, step

    def on_train_batch_end(self, trainer: Any, *_: Any) -> None:
        if trainer.global_step == self.step:
            trainer.save_checkpoint(self.path)


def callback(V: int, audits: set[int], tables: set[int], told: list[dict[str, Any]] | None = None) -> UpdatesCallback:
    """It hands `told` what it would tell."""

    def tell(found: Any, **about: Any) -> Any:
        if told is not None:
            told.append({"found": found, **about})

    counts = np.arange(V)[::-1].copy()
    return UpdatesCallback(
        recorder=Listed(),
        watched=watched(tokens=[f"t{i}" for i in range(V)], counts=counts, special=frozenset()),
        audits=frozenset(audits),
        tables=frozenset(tables),
        first=dict,
        tell=tell,
    )


def fit(
    batches: list[Batch],
    *callbacks: lightning.Callback,
    V: int = V,
    optimize: Any = None,
    accumulate: int = 1,
    clip: float | None = None,
    resume: Path | None = None,
    **choices: Any,
) -> tuple[Task, list[float]]:
    made = model(V, model=shape(d=8), **choices)
    chosen = optimize or option("optimizer", "adamw")
    task = Task(
        model=made,
        optimizer=lambda module: optimizer.build(module, chosen),
        schedule=option("schedule", "constant", warmup_steps=0),
        total_steps=len(batches),
        accumulate=accumulate,
        clip=clip,
        tie=TieCertificate(made.tied),
        facts={},
    )
    losses = Losses()
    setting = option("trainer", "default")
    run_steps(task, Loader(batches), option=setting, callbacks=[*callbacks, losses], resume=resume)
    return task, losses.found


TRAP = [
    # optimizer, tied, and of ten rows at step 1 and 2: with input gradient, with output gradient, moved
    (option("optimizer", "sgd"), False, [(2, 0, 2), (2, 0, 2)]),
    (option("optimizer", "sgd", momentum=0.9), False, [(2, 0, 2), (2, 0, 4)]),
    (option("optimizer", "sgd", weight_decay=0.1, decay_embedding=True), False, [(2, 0, 10), (2, 0, 10)]),
    (option("optimizer", "sparse_adam"), False, [(2, 0, 2), (2, 0, 2)]),
    (option("optimizer", "adamw"), False, [(2, 0, 2), (2, 0, 4)]),
    (option("optimizer", "adamw", decay_embedding=True), False, [(2, 0, 10), (2, 0, 10)]),
    (option("optimizer", "sgd"), True, [(2, 10, 10), (2, 10, 10)]),
    (option("optimizer", "adamw"), True, [(2, 10, 10), (2, 10, 10)]),
]


@pytest.mark.parametrize(("optimize", "tied", "wanted"), TRAP)
def test_rows_with_a_gradient_and_rows_that_move(optimize: Any, tied: bool, wanted: list[tuple[int, ...]]) -> None:
    """Ten rows, ids 1 and 4 in the first batch, 7 and 8 in the second."""
    one = callback(V, {1, 2}, set())
    fit([batch_of(1, 4), batch_of(7, 8)], one, optimize=optimize, head=option("head", "linear", tie=tied))
    keys = ("rows_with_input_gradient", "rows_with_output_gradient", "rows_moved")
    numbers = one.recorder.numbers
    found = [tuple(round(10 * numbers[step][f"updates/E/{key}"]) for key in keys) for step in (1, 2)]
    assert found == wanted
    if not tied:
        assert [numbers[step]["updates/U/rows_with_output_gradient"] for step in (1, 2)] == [1.0, 1.0]
        assert [numbers[step]["updates/U/rows_moved"] for step in (1, 2)] == [1.0, 1.0]


def test_rows_of_the_step_before_move_by_momentum_and_others_by_decay_alone() -> None:
    one, untied = callback(V, {2}, set()), option("head", "linear", tie=False)
    fit([batch_of(1, 4), batch_of(7, 8)], one, head=untied)
    state = one.state_dict()["tallies"]["E"]["sums"]
    assert state["without_gradient"].nonzero()[:, 0].tolist() == [1, 4]
    assert state["with_gradient"].nonzero()[:, 0].tolist() == [7, 8]
    assert not state["by_decay"].any()
    assert one.recorder.numbers[2]["updates/E/rows_moved_without_gradient"] == 0.2
    one, decays = callback(V, {2}, set()), option("optimizer", "adamw", decay_embedding=True)
    fit([batch_of(1, 4), batch_of(7, 8)], one, head=untied, optimize=decays)
    state = one.state_dict()["tallies"]["E"]["sums"]
    assert state["without_gradient"].nonzero()[:, 0].tolist() == [1, 4]
    start = model(V, model=shape(d=8), head=untied).embedding.weight.detach().double()
    shrunk = decays.lr * decays.weight_decay * (1 - decays.lr * decays.weight_decay) * start.norm(dim=1)
    torch.testing.assert_close(state["by_decay"][[0, 2, 3]], shrunk[[0, 2, 3]], rtol=1e-5, atol=0)


def test_ids_are_counted_as_numpy_counts_them_at_every_step_as_input_and_as_target() -> None:
    told: list[dict[str, Any]] = []
    generator = np.random.default_rng(0)
    batches = [batch_of(*generator.integers(0, V, 7).tolist()) for _ in range(5)]
    batches[2].targets[0, 3:] = -100
    fit(batches, callback(V, {5}, {5}, told))
    rows = told[0]["found"]["E"]
    inputs = np.concatenate([batch.ids.numpy().ravel() for batch in batches])
    targets = np.concatenate([batch.targets.numpy().ravel() for batch in batches])
    assert rows["seen_as_input"].tolist() == np.bincount(inputs, minlength=V).tolist()
    assert rows["seen_as_target"].tolist() == np.bincount(targets[targets >= 0], minlength=V).tolist()
    assert told[0]["audits"] == {"E": 1}


def test_the_source_of_an_encoder_is_input_too() -> None:
    told: list[dict[str, Any]] = []
    fit([batch_of(1, 2, source=True)], callback(V, {1}, {1}, told), body="encoder_decoder", position="none")
    assert told[0]["found"]["E"]["seen_as_input"].tolist() == [0, 2, 2, 0, 0, 0, 0, 0, 0, 0]


def test_energies_are_those_of_the_gradient_before_clipping_and_over_all_micro_batches() -> None:
    batch = Batch(
        *(torch.cat([a, b]) if a is not None else None for a, b in zip(batch_of(1, 4), batch_of(7, 8), strict=True))
    )
    one, two = callback(V, {1}, set()), callback(V, {1}, set())
    fit([batch], one)
    fit([batch], two, accumulate=2, clip=1e-4)
    first, second = (each.state_dict()["tallies"]["E"]["sums"] for each in (one, two))
    for name in ("input_energy", "output_energy"):
        torch.testing.assert_close(first[name], second[name], rtol=1e-4, atol=1e-12)
        assert float(first[name].sum()) > 0


HEADS = {"tied": option("head", "linear"), "untied": option("head", "linear", tie=False)}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(("accumulate", "clip"), [(1, None), (3, 0.05)])
@pytest.mark.parametrize("optimize", ["adamw", "sparse_adam"])
def test_a_run_that_is_audited_has_the_losses_and_weights_of_one_that_is_not(
    head: str, accumulate: int, clip: float | None, optimize: str
) -> None:
    if (head, optimize) == ("tied", "sparse_adam"):
        optimize = "sgd"
    generator = np.random.default_rng(1)
    batches = [
        Batch(
            *(
                _stack(part)
                for part in zip(*(batch_of(*generator.integers(0, 40, 9).tolist()) for _ in range(3)), strict=True)
            )
        )
        for _ in range(6)
    ]
    settings: dict[str, Any] = {"V": 40, "accumulate": accumulate, "clip": clip, "head": HEADS[head]}
    settings["optimize"] = option("optimizer", optimize)
    one, alone = fit(batches, callback(40, {2, 3, 6}, {3, 6}), **settings), fit(batches, **settings)
    assert one[1] == alone[1]
    for (name, a), (_, b) in zip(one[0].named_parameters(), alone[0].named_parameters(), strict=True):
        assert torch.equal(a, b), name


def _stack(parts: Any) -> Any:
    return None if parts[0] is None else torch.cat(parts)


def test_a_resumed_run_tells_what_an_uninterrupted_one_tells(tmp_path: Path) -> None:
    generator = np.random.default_rng(2)
    batches = [batch_of(*generator.integers(0, V, 6).tolist()) for _ in range(6)]
    whole: list[dict[str, Any]] = []
    task, losses = fit(batches, callback(V, {1, 2, 4, 6}, {6}, whole), Saving(tmp_path / "x.ckpt", 3))
    rest: list[dict[str, Any]] = []
    again, ended = fit(batches, callback(V, {1, 2, 4, 6}, {6}, rest), resume=tmp_path / "x.ckpt")
    assert ended[1:] == losses[4:]  # the first one holds the step before the checkpoint too
    assert rest[0]["audits"] == whole[0]["audits"] == {"E": 4}
    for name, value in whole[0]["found"]["E"].items():
        assert np.array_equal(value, rest[0]["found"]["E"][name]), name
    assert torch.equal(task.model.embedding.weight, again.model.embedding.weight)


def test_it_leaves_the_generators_and_the_task_as_they_were() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    task, _ = fit([batch_of(1, 2)], callback(V, {1}, {1}))
    assert torch.equal(torch.get_rng_state(), before)
    assert task.trace is None


def test_numbers_are_declared_and_a_step_without_gradient_has_no_share() -> None:
    one = callback(V, {1}, set())
    batch = batch_of(1, 2)
    batch.targets[:] = -100
    fit([batch], one)
    numbers = one.recorder.numbers[1]
    assert all(find_metric(key) for key in numbers)
    assert isinstance(numbers["updates/E/output_energy_share"], Missing)
    assert numbers["updates/E/rows_with_output_gradient"] == 0
    assert set(FIELDS) <= set(one.state_dict()["tallies"]["E"]["sums"])
