"""What an audit says in words: tied and untied, momentum and decay, and nothing where nothing happened."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rowspace.answers import write
from rowspace.probing.updates_telling import tell_components, tell_updates
from tests.callbacks.watched import COUNTS, TOKENS, watched

V = len(TOKENS)
DECILES = np.array([-1, *(10 - np.arange(V - 2) * 10 // (V - 2)), 0])


def numbers(**changes: float) -> dict[str, np.ndarray]:
    keys = ("seen_as_input", "seen_as_target", "input_energy", "output_energy", "input_hit", "output_hit", "moved")
    plain = dict.fromkeys((*keys, "with_gradient", "without_gradient", "by_decay", "norm", "drift"), 0.0)
    return {name: np.full(V, value) for name, value in (plain | changes).items()}


def told(found: dict[str, dict[str, np.ndarray]]) -> Any:
    return tell_updates(found, deciles=DECILES, watched=watched(), audits=dict.fromkeys(found, 20), step=900)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"input_hit": 0.25, "output_hit": 1.0, "moved": 1.0},
            "In a step the rows of E got a gradient: 25% from the input side and 100% from the output side; "
            "100% moved, since a tied row is an output row too.",
        ),
        (
            {"input_hit": 0.25, "moved": 0.25},
            "In a step the rows of E got a gradient: 25% from the input side; 25% moved.",
        ),
        (
            {"input_hit": 0.25, "moved": 0.75, "without_gradient": 0.1},
            "In a step the rows of E got a gradient: 25% from the input side; 75% moved, "
            "those without a gradient by momentum.",
        ),
        (
            {"input_hit": 0.25, "moved": 1.0, "without_gradient": 0.1, "by_decay": 0.1},
            "In a step the rows of E got a gradient: 25% from the input side; 100% moved, "
            "those without a gradient by momentum and decay.",
        ),
        ({}, "No row of E got a gradient."),
    ],
)
def test_the_sentence_says_who_got_a_gradient_and_why_others_moved(changes: dict[str, float], sentence: str) -> None:
    assert told({"E": numbers(**changes)}).sentence == sentence


def test_an_untied_head_has_its_own_rows_and_figures_and_all_of_it_can_be_stored(tmp_path: Any) -> None:
    findings = told({"E": numbers(input_hit=0.5, input_energy=1.0), "U": numbers(output_hit=1.0, output_energy=1.0)})
    assert set(findings.figures) == {"energy_E", "movement_E", "energy_U", "movement_U"}
    rows = findings.rows["update_rows"]
    assert len(rows) == 2 * V
    assert [(row["token"], row["count"], row["decile"]) for row in rows[:2]] == [
        ("<eos>", COUNTS[0], -1),
        (TOKENS[1], 58, 10),
    ]
    assert [row["decile"] for row in findings.rows["updates"]] == [*range(11)] * 2
    assert findings.shown[0].rows[0][0] == "never seen"
    assert "20 audited steps" in findings.reading
    write(tmp_path, "updates", findings, {})


def test_parts_are_told_with_the_share_that_each_has() -> None:
    rows = [
        {"step": step, "component": name, "norm": norm}
        for step, scale in ((1, 1.0), (9, 2.0))
        for name, norm in (("E", 3.0 * scale), ("norms", 1.0), ("block_1_attention", 1.0))
    ]
    findings = tell_components(rows)
    assert findings.sentence.startswith("At step 9 95% of the squared gradient is in E, 2.6% in ")
    assert findings.shown[0].rows[0] == ["E", "3.00e+00", "6.00e+00"]
    assert set(findings.figures) == {"components"}
