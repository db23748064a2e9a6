"""Gradient norms by part: they add up to the whole, every learned parameter gets one, fixed positions none."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rowspace.callbacks.credit import (
    ComponentsCallback,
    component_of,
    find_without_gradient,
    measure_components,
    unclipped,
)
from rowspace.data.batch import Batch
from rowspace.metrics.catalogue import find_metric
from tests.callbacks.test_updates import Saving, batch_of, fit
from tests.callbacks.watched import Listed
from tests.parts import ids, model, option, pairs, source_for


@pytest.mark.parametrize(("position", "body"), pairs())
def test_every_learned_parameter_gets_a_gradient_from_one_batch_and_its_part_is_declared(
    position: str, body: str
) -> None:
    made = model(body=body, position=position, head=option("head", "linear", tie=False, bias="zero"))
    nats, _ = made.loss(made(ids(seed=1), None, None, source_for(body)), ids(seed=2))
    nats.backward()
    batch = Batch(ids(seed=1), ids(seed=2), None, None, ids(seed=1), source_for(body))
    assert find_without_gradient(made, batch) == ([], len(list(made.parameters())))
    found = measure_components(made.named_parameters())
    assert ("positions" in found) == any(name.startswith("position.") for name, _ in made.named_parameters())
    assert all(find_metric(f"gradient/{name}") for name in found), found
    whole = torch.cat([parameter.grad.flatten().double() for parameter in made.parameters()]).norm()
    assert sum(float(norm) ** 2 for norm in found.values()) == pytest.approx(float(whole) ** 2, rel=1e-6)


@pytest.mark.parametrize("position", ["rope", "sinusoidal", "alibi", "none"])
def test_fixed_positions_have_no_part(position: str) -> None:
    made = model(position=position)
    made.loss(made(ids(seed=1)), ids(seed=2))[0].backward()
    assert "positions" not in measure_components(made.named_parameters())


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("embedding.weight", "E"),
        ("position.table", "positions"),
        ("body.blocks.1.attention.qkv.weight", "block_2_attention"),
        ("body.blocks.0.attention_norm.weight", "norms"),
        ("body.blocks.0.cross.kv.weight", "block_1_cross_attention"),
        ("body.encoder.blocks.2.feedforward.up.weight", "encoder_block_3_feedforward"),
        ("body.encoder.norm.weight", "norms"),
        ("body.cells.0.weight_hh_l0", "block_1_recurrence"),
        ("body.anything.weight", "body"),
        ("head.bias", "head"),
    ],
)
def test_a_parameter_belongs_to_a_part_by_its_name(name: str, wanted: str) -> None:
    assert component_of(name) == wanted


def test_a_sparse_gradient_counts_a_repeated_row_once() -> None:
    table = torch.nn.Parameter(torch.ones(4, 2))
    torch.nn.functional.embedding(torch.tensor([1, 1]), table, sparse=True).sum().backward()
    assert float(measure_components([("embedding.weight", table)])["E"]) == pytest.approx(8**0.5)


def test_norms_are_those_before_clipping() -> None:
    assert unclipped({"E": 0.3, "norms": 0.4}, 5.0) == pytest.approx({"E": 3.0, "norms": 4.0})
    assert unclipped({"E": 0.0}, 0.0) == {"E": 0.0}
    found = []
    for clip in (None, 1e-3):
        one = ComponentsCallback(recorder=Listed(), audits=frozenset({1}), tables=frozenset(), tell=list)
        fit([batch_of(1, 2, 3)], one, clip=clip)
        found.append(one.recorder.numbers[1])
    assert found[0] == pytest.approx(found[1], rel=1e-4)
    assert max(found[0].values()) > 1e-2


def test_the_history_survives_a_resume_and_is_told_at_its_steps(tmp_path: Any) -> None:
    def callback() -> ComponentsCallback:
        return ComponentsCallback(recorder=Listed(), audits=frozenset({1, 3}), tables=frozenset({4}), tell=list)

    batches = [batch_of(n, n + 1, n + 2) for n in range(4)]
    whole, rest = callback(), callback()
    fit(batches, whole, Saving(tmp_path / "x.ckpt", 2))
    fit(batches, rest, resume=tmp_path / "x.ckpt")
    (told,) = whole.recorder.answers
    assert rest.recorder.answers == [told]
    assert {row["step"] for row in told[2]} == {1, 3}
    assert set(rest.recorder.numbers) == {3}


def test_a_parameter_that_nothing_uses_or_reaches_is_named() -> None:
    made = model(body="decoder")
    made.spare = torch.nn.Parameter(torch.ones(2))
    made.body.blocks[0].feedforward.register_forward_hook(lambda module, given, found: found.detach())
    batch = Batch(ids(seed=1), ids(seed=2), None, None, ids(seed=1))
    none, n = find_without_gradient(made, batch)
    assert {name.rpartition(".")[0] for name in none} == {
        "",
        "body.blocks.0.feedforward.up",
        "body.blocks.0.feedforward.down",
        "body.blocks.0.feedforward_norm",
    }
    assert n == len(list(made.parameters()))
    assert all(parameter.grad is None for parameter in made.parameters())
