"""Budgets in steps, tokens and epochs, and the rule that there is exactly one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.parts import option


def trainer(**changes: Any) -> Any:
    return option("trainer", "default", **{"max_steps": None, **changes})


@pytest.mark.parametrize(
    ("budget", "steps"),
    [
        ({"max_steps": 7}, 7),
        ({"max_tokens": 1000}, 4),  # steps of 2 * 2 windows of 64 tokens: 256 tokens, rounded up
        ({"max_tokens": 1024}, 4),
        ({"max_tokens": 1025}, 5),
        ({"max_epochs": 1.0}, 25),  # 100 windows in steps of 4
        ({"max_epochs": 0.5}, 13),
        ({"max_epochs": 2.0}, 50),
    ],
)
def test_a_budget_is_whole_steps(budget: dict[str, Any], steps: int) -> None:
    assert trainer(batch_size=2, accumulate=2, **budget).steps(n_ctx=64, windows=100) == steps


@pytest.mark.parametrize(
    ("budgets", "given"),
    [
        ({}, "no budget was given"),
        ({"max_steps": 5, "max_tokens": 100}, "max_steps=5 and max_tokens=100 was given"),
        ({"max_steps": 5, "max_tokens": 9, "max_epochs": 1.0}, "max_steps=5 and max_tokens=9 and max_epochs=1.0"),
    ],
)
def test_other_than_one_budget_is_refused(budgets: dict[str, Any], given: str) -> None:
    (problem,) = trainer(**budgets).problems(None)
    assert problem.key == "trainer"
    assert given in problem.given
    assert "exactly one of" in problem.right


def test_one_budget_is_fine() -> None:
    assert list(trainer(max_epochs=1.0).problems(None)) == []


def test_a_step_has_the_windows_of_all_devices() -> None:
    many = trainer(batch_size=2, accumulate=3, devices=4, max_tokens=1537)
    assert many.windows_per_step() == 24
    assert many.steps(n_ctx=64, windows=100) == 2


@pytest.mark.parametrize(
    ("accelerator", "given", "right"),
    [
        ("cpu", "trainer.accelerator=cpu, and it needs a GPU", "wrapped together or be untied"),
        ("auto", "trainer.accelerator=auto, and it needs a GPU", "wrapped together or be untied"),
        ("gpu", "whose ranks hold a part of each table", "ddp, which keeps tied tables one"),
    ],
)
def test_fsdp_is_refused_with_the_reason(accelerator: str, given: str, right: str) -> None:
    (problem,) = trainer(max_steps=1, strategy="fsdp", accelerator=accelerator).problems(None)
    assert problem.key == "trainer.strategy"
    assert given in problem.given
    assert right in problem.right


def test_several_devices_need_a_dense_gradient() -> None:
    many = trainer(max_steps=1, devices=2)
    (problem,) = many.problems(SimpleNamespace(optimizer=option("optimizer", "sparse_adam")))
    assert problem.key == "trainer.devices"
    assert list(many.problems(SimpleNamespace(optimizer=option("optimizer", "adamw")))) == []
    assert list(many.problems(SimpleNamespace(optimizer=None))) == []


def test_several_devices_say_what_their_numbers_are_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert list(trainer().remarks(None, 10)) == []
    (said,) = trainer(devices=2, threads=2, accelerator="cpu").remarks(None, 10)
    assert said.startswith("2 processes train together")
    _, crowded = trainer(devices=4, threads=2, accelerator="cpu").remarks(None, 10)
    assert "4 devices of 2 threads share 4 processors" in crowded
