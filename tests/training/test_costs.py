"""What is said before a run: an optimizer keeps what it says, and the estimate of memory is near what a step takes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch

from rowspace.model.outline import outlines
from rowspace.training.costs import expected_cost, matrix_rate
from rowspace.training.optimizer import build
from tests.parts import ids, model, names, option, shape


@pytest.mark.parametrize("changes", [{}, {"momentum": 0.9}])
@pytest.mark.parametrize("name", names("optimizer"))
def test_an_optimizer_keeps_as_many_numbers_a_parameter_as_it_says(name: str, changes: dict[str, float]):
    chosen = option("optimizer", name, **(changes if name == "sgd" else {}))
    lm = model(head=option("head", "linear", tie=False))
    made, tokens = build(lm, chosen), ids()
    lm.loss(lm(tokens), tokens)[0].backward()
    made.step()
    for parameter in lm.parameters():
        kept = [
            value
            for value in made.state[parameter].values()
            if isinstance(value, torch.Tensor) and value.shape == parameter.shape
        ]
        assert len(kept) == chosen.kept_per_parameter


def cost_of(**changes):
    parts = {key: changes.pop(key) for key in ("head", "body", "position") if key in changes}
    lm = model(changes.pop("V", 300), model=changes.pop("model", None) or shape(), **parts)
    trainer = option("trainer", "default", **{"batch_size": 4, "max_steps": 10, **changes.pop("trainer", {})})
    body = parts.get("body", "decoder")
    known = {"body": option("body", body), "optimizer": changes.pop("optimizer", option("optimizer", "adamw"))}
    return lm, expected_cost(lm, **known, trainer=trainer, steps=10, **changes)


def test_parts_of_the_cost_add_up():
    lm, cost = cost_of(program=7)
    weights = sum(p.nbytes for p in lm.parameters())
    memory = cost["expected_memory"]
    assert memory["parameters"] == memory["gradients"] == weights
    assert memory["optimizer"] == 2 * weights
    assert memory["program"] == 7
    assert cost["expected_memory_bytes"] == sum(memory.values())
    assert cost["logits_bytes"]["flat"] == 4 * 12 * 300 * 4
    assert cost["flops_per_step"] == cost["flops_per_token"] * 12 * cost["tokens_per_step"] / 12
    assert cost["expected_seconds"] == pytest.approx(
        10 * cost["flops_per_step"] / (cost["share"] * cost["matrix_rate"])
    )
    names_ = ("E", "position", "blocks", "norms", "U", "bias")
    assert sum(cost[f"parameters_{name}"] for name in names_) == cost["parameters"]


def test_a_sparse_table_has_gradients_of_the_rows_of_a_batch_alone():
    head = option("head", "linear", tie=False)
    _, dense = cost_of(V=5000, head=head)
    _, sparse = cost_of(V=5000, head=head, optimizer=option("optimizer", "sparse_adam"))
    spared = dense["expected_memory"]["gradients"] - sparse["expected_memory"]["gradients"]
    assert spared == 5000 * 16 * 4 - 4 * 12 * (16 * 4 + 8)


def test_tokens_of_an_encoder_decoder_are_those_that_its_decoder_reads():
    _, cost = cost_of(body="encoder_decoder")
    T, S = option("body", "encoder_decoder").lengths(12)
    assert cost["tokens_per_step"] % T == 0
    assert S > T
    assert cost["flops_per_step"] == pytest.approx(cost["flops_per_token"] * cost["tokens_per_step"])


def test_a_rate_is_measured_in_a_moment_and_is_positive():
    assert matrix_rate(option("trainer", "default"), seconds=0.0) > 1e6


SCRIPT = """
import json, sys, torch
from rowspace.training.costs import expected_cost, program_memory
from rowspace.training.finals import peak_memory
from rowspace.training.optimizer import build
from tests.parts import ids, model, option, shape
torch.set_num_threads(1)
V, d, B, tie = json.loads(sys.argv[1])
lm = model(V, model=shape(d=d, n_ctx=128, heads=4), head=option("head", "linear", tie=tie))
known = {"body": option("body", "decoder"), "optimizer": option("optimizer", "adamw")}
made = build(lm, known["optimizer"])  # before the program is measured: optimizers import much
trainer = option("trainer", "default", batch_size=B, max_steps=2, threads=1)
cost = expected_cost(lm, **known, trainer=trainer, steps=2, program=program_memory(lm))
for step in range(2):
    tokens = ids(V, B=B, T=128, seed=step)
    made.zero_grad()
    lm.loss(lm(tokens), tokens)[0].backward()
    made.step()
print(json.dumps([cost["expected_memory"], peak_memory()]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("V", "d", "B", "tie"), [pytest.param(30000, 256, 2, False, marks=pytest.mark.slow), (2000, 256, 32, True)]
)
def test_the_estimate_of_memory_is_within_a_quarter_of_what_two_steps_take(V: int, d: int, B: int, tie: bool):
    """What the steps add to the program; the program itself is measured in both."""
    command = [sys.executable, "-c", SCRIPT, json.dumps([V, d, B, tie])]
    expected, peak = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    own = sum(expected.values()) - expected["program"]
    measured = peak - expected["program"]
    assert own / 1.25 < measured < own * 1.25, (expected, measured)


def test_an_outline_costs_what_the_model_would():
    with outlines():
        _, bare = cost_of(program=0)
    _, real = cost_of(program=0)
    clocks = ("matrix_rate", "expected_seconds")
    assert {k: v for k, v in bare.items() if k not in clocks} == {k: v for k, v in real.items() if k not in clocks}
