"""One row in every context, and states that tell senses apart."""

from __future__ import annotations

import pytest
import torch

from rowspace.claims.part1 import same_token
from tests.claims.lesson2.conftest import hooked
from tests.claims.part1.conftest import answered
from tests.parts import option


def test_one_row_in_every_context_and_a_look_up_that_knows_its_place_is_found(ask):
    assert ask(same_token.same_row_in_every_context).word == "held"

    def knows(weight, ids, rows):
        return rows + torch.arange(rows.shape[1])[:, None]

    assert ask(same_token.same_row_in_every_context, hooked(knows)).word == "failed"


@pytest.mark.parametrize(("value", "word"), [(0.9, "held"), (0.4, "failed")])
@pytest.mark.parametrize("claimed", [same_token.sense_from_the_words_before, same_token.sense_from_the_words_behind])
def test_senses_must_be_told_apart_beyond_chance(ask, claimed, value: float, word: str):
    key = "probe/senses/accuracy_" + ("before" if claimed is same_token.sense_from_the_words_before else "after")
    assert ask(claimed, known=answered("senses", key, value)).word == word


@pytest.mark.parametrize(("body", "meant"), [("decoder", True), ("encoder", False)])
def test_a_cue_that_comes_later_is_missed_by_design_under_a_causal_mask_alone(ask, body: str, meant: bool):
    known = answered("senses", "probe/senses/accuracy_after", 0.4)
    found = ask(same_token.sense_from_the_words_behind, known=known, config={"body": option("body", body)})
    assert found.word == "failed"
    assert bool(found.by_design) == meant


@pytest.mark.parametrize(("shift", "word"), [(0.9, "held"), (0.1, "failed")])
def test_states_must_move_to_their_own_meaning(ask, shift: float, word: str):
    key = "probe/senses/shift_before"
    numbers = {key: shift, f"{key}/null": 0.0, f"{key}/null_low": -0.2, f"{key}/null_high": 0.2}
    known = answered("senses", numbers=numbers)
    assert ask(same_token.states_move_to_the_local_meaning, known=known).word == word
