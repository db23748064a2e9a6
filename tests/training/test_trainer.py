"""Budgets in steps, tokens and epochs, and the rule that there is exactly one."""

from __future__ import annotations

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
