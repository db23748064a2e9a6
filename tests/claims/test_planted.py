"""A fault that is planted in a live run turns the verdicts that are about it, and leaves every other one as it is.

Slow: all claims are asked six times.
"""

from __future__ import annotations

import dataclasses
from copy import deepcopy
from typing import Any

import pytest

from rowspace.claims.base import Asked, judge
from rowspace.claims.chapters import find_claims
from rowspace.position.scheme import PositionScheme
from rowspace.probing.base import RunSubject
from rowspace.tokenization.hostile import code_point_blocks
from rowspace.training import optimizer
from tests.claims.lesson2.conftest import untie
from tests.claims.lesson2.test_subwords import miscounting
from tests.probing.subjects import ignore

NOISE = {"rotary_positions_carry_over"}
"""The loss of a model that was never trained is no better or worse in longer windows but by chance."""
TURNED = {
    "head untied": {
        "one_table_or_two": "failed",
        "projection_is_no_inverse": "not asked",
        "tied_gradient_reaches_every_row": "failed",
        "six_operations_a_parameter": "failed",
    },
    "rope off": {
        "positions_tell_the_order": "failed",
        "rotary_scores_depend_on_the_offset": "failed",
        "rotary_frequencies_are_fixed": "failed",
        "values_are_not_turned": "failed",
    },
    "mask off": {
        "chain_rule": "failed",
        "no_position_sees_the_future": "failed",
        "parallel_is_step_by_step": "failed",
        "states_read_what_the_architecture_says": "failed",
        "masked_attention_sees_a_set": "held",
    },
    "bytes miscounted": {"bytes_close_the_vocabulary": "failed"},
    "decay on absent rows": {"absent_rows_do_not_decay": "failed"},
}

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _few_code_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rowspace.tokenization.closure.code_point_blocks", lambda: list(code_point_blocks())[::50])


def verdicts(subject: RunSubject, asked: dict[str, Any]) -> dict[str, str]:
    """The word of every claim."""
    asking = Asked(dataclasses.replace(subject, cache={}), asked, ignore)
    return {claimed.key: judge(claimed, asking).word for claimed in find_claims()}


def planted(subject: RunSubject, fault: str, monkeypatch: pytest.MonkeyPatch) -> RunSubject:
    """The run with a fault in it that its config knows nothing of."""
    model = deepcopy(subject.model)
    if fault == "head untied":
        untie(model)
    if fault == "rope off":
        model.position = PositionScheme()
    if fault == "mask off":
        model.body.causal = False
    if fault == "bytes miscounted":
        return dataclasses.replace(subject, tokenizer=miscounting())
    if fault == "decay on absent rows":
        monkeypatch.setattr(optimizer, "parameter_groups", decaying(optimizer.parameter_groups))
    return dataclasses.replace(subject, model=model)


def decaying(groups: Any) -> Any:
    """The groups of a run, and the table decays as the matrices do."""
    return lambda lm, chosen: [
        group | {"weight_decay": chosen.weight_decay} if group["name"] == "embedding" else group
        for group in groups(lm, chosen)
    ]


@pytest.fixture(scope="module")
def right(run: RunSubject, questions: dict[str, Any]) -> dict[str, str]:
    """The verdicts of the run as it is."""
    return verdicts(run, questions)


@pytest.mark.parametrize("fault", TURNED)
def test_a_fault_turns_the_verdicts_that_are_about_it(
    fault: str,
    run: RunSubject,
    questions: dict[str, Any],
    right: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = verdicts(planted(run, fault, monkeypatch), questions)
    assert {key: word for key, word in found.items() if word != right[key] and key not in NOISE} == TURNED[fault]


def test_claims_have_keys_of_their_own(right: dict[str, str]) -> None:
    assert len(right) == len(find_claims()) >= 90
    assert list(right.values()).count("not asked") < len(right) / 4
