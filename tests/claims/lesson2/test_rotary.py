"""Rotation: what it depends on, what it keeps and what it leaves alone; each verdict with a scheme that turns it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from rowspace.answers import Findings
from rowspace.claims.lesson2 import rotary
from rowspace.model.attention import Attention
from rowspace.position.frequencies import plain
from rowspace.position.rope_pi import RopePI
from rowspace.position.rotary import Rotary
from rowspace.position.scheme import PositionScheme
from rowspace.position.sinusoidal import Sinusoidal
from tests.claims.lesson2.test_position import placed
from tests.parts import option


class Growing(Rotary):
    """Turns, and stretches with the position."""

    def rotate(self, x: Any, positions: Any) -> Any:
        found = super().rotate(x, positions)
        places = torch.arange(x.shape[2]) if positions is None else positions[0]
        return found * (1 + 0.1 * places[:, None])


class Trained(Rotary):
    """Has something to train."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.gain = nn.Parameter(torch.ones(3))


class TurnsValues(Attention):
    """Turns values too."""

    def forward(self, x: Any, position: Any, positions: Any, mask: Any, cache: Any = None) -> Any:
        q, k, v = (part.transpose(1, 2) for part in self.qkv(x).unflatten(-1, (3, self.heads, -1)).unbind(2))
        q, k, v = (position.rotate(part, positions) for part in (q, k, v))
        return self.out(nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


def made(kind: type) -> Any:
    """A scheme for the run's sizes."""
    return kind(frequencies=plain(10000.0, 8), n=16)


OFF = PositionScheme()


@pytest.mark.parametrize(
    ("claimed", "planted"),
    [
        (rotary.rotary_scores_depend_on_the_offset, OFF),
        (rotary.rotary_scores_depend_on_the_offset, made(Growing)),
        (rotary.rotary_frequencies_are_fixed, OFF),
        (rotary.rotary_frequencies_are_fixed, made(Trained)),
        (rotary.rotation_keeps_lengths, made(Growing)),
        (rotary.values_are_not_turned, OFF),
    ],
    ids=lambda value: getattr(value, "key", type(value).__name__),
)
def test_a_scheme_that_does_otherwise_is_found(ask: Any, claimed: Any, planted: Any) -> None:
    assert ask(claimed).word == "held"
    assert ask(claimed, placed(planted)).word == "failed"


def test_values_that_are_turned_are_found(ask: Any) -> None:
    def turn(model: Any) -> None:
        model.body.blocks[1].attention.__class__ = TurnsValues

    found = ask(rotary.values_are_not_turned, turn)
    assert found.word == "failed"
    assert found.number > 0.1


def test_rotation_is_asked_of_one_built_for_the_check_where_the_run_has_none(ask: Any) -> None:
    for claimed in (rotary.rotary_scores_depend_on_the_offset, rotary.values_are_not_turned):
        other = ask(claimed, placed(OFF), config={"position": option("position", "none")})
        assert other.word == "held"
        assert "built for this check (the run has none)" in other.why


def test_added_positions_that_add_nothing_are_found(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(rotary.added_scores_depend_on_the_place).word == "held"
    monkeypatch.setattr(Sinusoidal, "rows", lambda self, n, d: np.zeros((n, d)))
    assert ask(rotary.added_scores_depend_on_the_place).word == "failed"


def answer(change: float, low: float, high: float) -> Findings:
    """What the length probe says."""
    about = {"windows": "sliding", "tokens": 90, "loss": 2.0}
    rows = [
        {**about, "factor": 1, "length": 16, "bpb": 1.0, "change": 0.0, "change_low": 0.0, "change_high": 0.0},
        {
            **about,
            "factor": 4,
            "length": 64,
            "bpb": 1 + change,
            "change": change,
            "change_low": low,
            "change_high": high,
        },
    ]
    return Findings("", "", [], {"length": rows}, [], dict, "")


def test_longer_texts_that_cost_more_are_found(ask: Any) -> None:
    for found, word in (((0.5, 0.4, 0.6), "failed"), ((0.01, -0.1, 0.1), "held"), ((-0.1, -0.2, -0.05), "held")):
        known = {("answer", "length"): answer(*found)}
        assert ask(rotary.rotary_positions_carry_over, known=known).word == word
    without = {"position": option("position", "none")}
    assert ask(rotary.rotary_positions_carry_over, config=without).word == "not asked"
    assert ask(rotary.rotary_positions_carry_over).number is not None


def test_a_scaling_that_changes_nothing_is_found(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(rotary.extensions_rescale_frequencies).word == "held"
    monkeypatch.setattr(RopePI, "frequencies", lambda self, d_head, n_ctx, length=None: plain(self.base, d_head))
    found = ask(rotary.extensions_rescale_frequencies)
    assert found.word == "failed"
    assert "laws broken: 0" not in found.why


def test_heads_of_one_pair_are_not_asked_of_scalings_that_need_two(ask: Any) -> None:
    config = {"model": ask.run.config.model.model_copy(update={"d": 4, "heads": 2})}
    found = ask(rotary.extensions_rescale_frequencies, config=config)
    assert found.word == "not asked"
    assert found.why == "heads of a width of 2 have too few pairs for rope_ntk"
