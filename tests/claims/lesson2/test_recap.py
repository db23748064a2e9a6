"""What training alone writes, what is learned, and what it costs."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rowspace.claims.lesson2 import recap
from rowspace.model import ledger
from tests.claims.lesson2.conftest import hooked, untie
from tests.parts import shape


def test_a_model_that_reading_changes_is_found(ask: Any) -> None:
    def write(weight: torch.Tensor, ids: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            weight.mul_(1.001)
        return rows

    assert ask(recap.only_training_writes_weights).word == "held"
    found = ask(recap.only_training_writes_weights, hooked(write))
    assert (found.word, found.number) == ("failed", 1)


def test_training_that_writes_nothing_is_found(ask: Any) -> None:
    frozen = {"optimizer": ask.option("optimizer", lr=1e-300, weight_decay=0.0)}
    assert ask(recap.only_training_writes_weights, config=frozen).word == "failed"


def test_a_ledger_that_leaves_something_out_is_found(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(recap.learned_numbers_are_the_parameters).number == 0
    whole = ledger._tensor_rows
    monkeypatch.setattr(ledger, "_tensor_rows", lambda lm: [row for row in whole(lm) if row["quantity"] != "E"])
    found = ask(recap.learned_numbers_are_the_parameters)
    assert (found.word, found.number) == ("failed", 330 * 16)


def test_six_operations_a_parameter_are_too_many_where_the_head_is_untied(ask: Any) -> None:
    assert ask(recap.six_operations_a_parameter).word == "held"
    found = ask(recap.six_operations_a_parameter, untie)
    assert found.word == "failed"
    assert found.number == pytest.approx(0.40, abs=0.01)
    assert "E is looked up and multiplies nothing" in found.why


def test_the_rule_holds_for_both_heads_where_the_table_is_a_small_part(ask: Any) -> None:
    found = ask(recap.six_operations_whatever_the_head)
    assert found.word == "failed"
    assert "-3.9% with the head tied, and by +40.2% untied" in found.why
    large = {"model": shape(d=64, layers=8, n_ctx=16)}
    assert ask(recap.six_operations_whatever_the_head, config=large).word == "held"
