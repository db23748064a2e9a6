"""Verdicts from numbers, scores and refusals, and what checks of one run share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from rowspace.answers import Score
from rowspace.claims.base import Asked, Verdict, above, at_least, at_most, below, claim, judge, learned, not_asked
from rowspace.errors import ConfigError
from rowspace.table import Missing
from tests.claims.part1.conftest import answered
from tests.probing.subjects import ignore

SAID = {"what": "a number", "why": "Because."}


@pytest.mark.parametrize(
    ("judged", "words"),
    [
        (at_most, ["held", "held", "failed"]),
        (at_least, ["failed", "held", "held"]),
        (below, ["held", "failed", "failed"]),
        (above, ["failed", "failed", "held"]),
    ],
)
def test_a_number_is_held_against_its_bound(judged: Any, words: list[str]):
    assert [judged(number, 1.0, **SAID).word for number in (0.5, 1.0, 2.0)] == words
    assert judged(0.5, 1.0, **SAID).bound.endswith(" 1")


def score(value: Any, *, better: Any = "higher", low: Any = 0.2) -> Score:
    return Score("key", "label", value, 0.3, low, 0.4, 9, 9, better)


@pytest.mark.parametrize(
    ("found", "word"),
    [
        (score(0.9), "held"),
        (score(0.3), "failed"),
        (score(0.1), "failed"),
        (score(0.1, better="lower"), "held"),
        (score(Missing("nothing was there")), "not asked"),
        (score(0.9, low=Missing("too few to say")), "not asked"),
    ],
)
def test_a_score_is_held_against_chance(found: Score, word: str):
    verdict = learned(found, **SAID)
    assert verdict.word == word
    assert (verdict.number is None) == (word == "not asked")
    if word == "not asked":
        assert verdict.why in ("nothing was there", "too few to say")


def test_what_a_run_refuses_is_not_asked_with_the_reason_and_a_bug_is_no_verdict(run, questions):
    def check(fault: type[Exception]) -> Any:
        @claim("Part 1, 1", "It is so.", by="nothing")
        def refused(asked: Asked) -> Verdict:
            raise fault("the text is gone")

        return refused

    asked = Asked(run, questions, ignore)
    assert judge(check(ConfigError), asked) == not_asked("the text is gone")
    with pytest.raises(ValueError, match="the text is gone"):
        judge(check(ValueError), asked)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("word", ["held", "failed"])
def test_a_number_that_is_none_gives_no_verdict(run, questions, number: float, word: Any):
    @claim("Part 1, 1", "It is so.", by="nothing")
    def empty(asked: Asked) -> Verdict:
        return Verdict(word, number, "share of no rows", "at most 1", "Because.")

    found = judge(empty, Asked(run, questions, ignore))
    assert found == not_asked(f"share of no rows: the check gave {number}, which says nothing")


def test_another_probe_is_asked_once_and_its_missing_numbers_are_reasons(run, questions):
    asked = Asked(replace(run, cache={}), questions, ignore)
    assert asked.answer("pairs") is asked.answer("pairs")
    planted = answered("pairs", numbers={"probe/pairs/none": Missing("no pair has rows")})  # type: ignore[dict-item]
    cache = {("claims", key): value for key, value in planted.items()}
    with pytest.raises(ConfigError, match="no pair has rows"):
        Asked(replace(run, cache=cache), questions, ignore).number("pairs", "probe/pairs/none")


def test_a_probe_that_was_taken_out_of_the_settings_is_a_reason(run, questions):
    fewer = {name: question for name, question in questions.items() if name != "cloze"}
    with pytest.raises(ConfigError, match=r"claims\.asked has no cloze"):
        Asked(replace(run, cache={}), fewer, ignore).answer("cloze")


def test_a_probe_that_does_not_fit_is_a_reason(run, questions):
    head = replace(run, tables={"layer1": run.tables["E"]}, cache={})
    with pytest.raises(ConfigError, match="probes=head: this asks an input table E"):
        Asked(head, questions, ignore).answer("head")


def test_the_copy_is_wide_and_apart_and_the_batch_is_the_runs_first(run, questions):
    asked = Asked(replace(run, cache={}), questions, ignore)
    assert asked.wide is asked.wide is not asked.model
    assert asked.wide.embedding.weight.dtype == torch.float64
    assert asked.wide.tied
    assert asked.batch.ids.shape == (8, 16)
    assert torch.equal(asked.batch.targets[:, :-1], asked.batch.ids[:, 1:])


def test_a_failure_is_by_design_where_the_check_says_so():
    verdict = at_most(2.0, 1.0, **SAID)
    assert verdict.by_design is None
    assert verdict.meant("so it is").by_design == "so it is"
