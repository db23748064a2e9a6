"""Contextual states: mixing, the mask and the residual stream, each with a body that breaks it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from rowspace.claims.part1 import states
from rowspace.model.block import Block
from tests.claims.part1.conftest import answered
from tests.parts import option


@pytest.mark.parametrize(("own", "word"), [(0.2, "held"), (1.0, "failed")])
def test_states_that_are_their_rows_turn_the_verdict(ask, own: float, word: str):
    numbers = {"probe/contextual/own_row": own, "probe/contextual/own_row/null": 0.1}
    assert ask(states.states_are_no_longer_rows, known=answered("contextual", numbers=numbers)).word == word


class Mixing(nn.Module):
    """A feed-forward net that looks at the place before."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner, self.down = inner, inner.down

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x + x.roll(1, 1))


def test_attention_alone_mixes_and_a_feed_forward_net_that_mixes_is_found(ask):
    assert ask(states.attention_alone_mixes_positions).word == "held"

    def plant(model: Any) -> None:
        model.body.blocks[0].feedforward = Mixing(model.body.blocks[0].feedforward)

    assert ask(states.attention_alone_mixes_positions, plant).word == "failed"


def test_a_mask_that_is_off_is_found(ask):
    assert ask(states.no_position_sees_the_future).word == "held"
    found = ask(states.no_position_sees_the_future, lambda model: setattr(model.body, "causal", False))
    assert (found.word, found.number) == ("failed", 66)


def test_blocks_that_do_not_add_to_the_stream_are_found(ask, monkeypatch: pytest.MonkeyPatch):
    assert ask(states.residuals_keep_what_was_there).word == "held"
    forward = Block.forward
    monkeypatch.setattr(Block, "forward", lambda self, h, *rest: forward(self, h, *rest) - h.roll(1, -1))
    assert ask(states.residuals_keep_what_was_there).word == "failed"


def test_bodies_without_blocks_or_a_mask_are_not_asked(ask):
    config = {"body": option("body", "none")}
    assert ask(states.no_position_sees_the_future, config=config).word == "not asked"
