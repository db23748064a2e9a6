"""The next token, all positions at once: and a target or a mask that is off by one."""

from __future__ import annotations

from rowspace.claims.base import Asked
from rowspace.claims.part1 import objective
from tests.parts import option
from tests.probing.subjects import ignore


def test_targets_are_the_next_ids_and_targets_off_by_one_are_found(ask, run, questions):
    assert ask(objective.target_is_the_next_token).word == "held"
    batch = Asked(run, questions, ignore).batch
    off = batch._replace(targets=batch.targets.roll(-1, 1))
    assert ask(objective.target_is_the_next_token, known={"batch": off}).word == "failed"


def test_a_body_with_another_objective_is_not_asked(ask):
    body = option("body", "encoder_decoder")
    tokenizer = option("tokenizer", "byte", special_tokens=["<eos>", "<mask>", *(f"<span_{n}>" for n in range(9))])
    found = ask(objective.target_is_the_next_token, config={"body": body}, tokenizer=tokenizer.fit([]))
    assert found.word == "not asked"


def test_positions_at_once_are_positions_one_by_one_and_a_mask_that_is_off_is_found(ask):
    assert ask(objective.parallel_is_step_by_step).word == "held"
    broken = ask(objective.parallel_is_step_by_step, lambda model: setattr(model.body, "causal", False))
    assert broken.word == "failed"
