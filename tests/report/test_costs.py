"""What a run costs, in sentences that say what is exact, what is an estimate and what that rests on."""

from typing import Any

import pytest

from rowspace.report.costs import reasons, say_costs, say_difference, say_time

COST: dict[str, Any] = {
    "parameters": 131520,
    "parameters_E": 16448,
    "parameters_position": 0,
    "parameters_blocks": 98304,
    "parameters_norms": 320,
    "parameters_U": 16448,
    "parameters_bias": 0,
    "flops_per_token": 738432,
    "flops": {"train": 738432, "six_P": 789120, "because": [[-98688, "E is looked up"], [48000, "attention"]]},
    "logits_bytes": {"flat": 5_000_000, "buffer": 526336},
    "expected_memory": {"program": 700_000_000},
    "expected_memory_bytes": 724_065_536,
    "flops_per_step": 738432 * 512,
    "tokens_per_step": 512,
    "steps": 60,
    "matrix_rate": 1e11,
    "share": 0.7,
    "expected_seconds": 6.0,
}


def test_four_lines_say_parameters_operations_memory_and_time():
    parameters, operations, memory, time = say_costs(COST)
    assert parameters == "131,520 parameters: E 16,448, blocks 98,304, norms 320, U 16,448"
    assert operations.endswith("6 P is 789,120, 6.9 % more")
    program = "700 MB of it the program with its text"
    logits = "logits 526 kB at a time instead of 5 MB"
    assert memory == f"about 724 MB of memory at the peak (an estimate, {program}; {logits})"
    assert time.startswith("at least 6.0 s for 60 steps of 512 tokens (an estimate: 70% of the 100 GFLOP/s")


def test_a_tied_table_is_said_to_be_counted_once():
    assert say_costs(COST | {"parameters_U": 0})[0].endswith("norms 320 (U is E, counted once)")


def test_without_a_number_of_steps_the_time_is_that_of_a_million_tokens():
    assert "a million tokens" in say_time(COST | {"steps": None, "expected_seconds": None})
    assert say_time(COST | {"flops_per_step": 1e11}).startswith("about 6.0 s")


@pytest.mark.parametrize(
    ("rule", "said"), [(100, "exactly that"), (199, "1.99 times that"), (98, "2 % less"), (110, "10 % more")]
)
def test_the_rule_of_thumb_is_compared_in_words(rule: float, said: str):
    assert say_difference(rule, 100) == said


def test_reasons_have_a_sign_and_a_size():
    assert reasons(COST) == ["− 98,688: E is looked up", "+ 48,000: attention"]
    assert reasons({}) == []
