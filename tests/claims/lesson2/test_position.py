"""Sets, signatures and tables that end: each verdict with a scheme or a body that turns it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from rowspace.claims.lesson2 import position
from rowspace.position.additive import ClampedAddition, FixedAddition, LearnedAddition
from rowspace.position.scheme import PositionScheme
from tests.claims.lesson2.conftest import hooked
from tests.parts import option


def placed(scheme: Any) -> Any:
    """Plants a scheme."""
    return lambda model: setattr(model, "position", scheme)


def unmask(model: Any) -> None:
    model.body.causal = False


def table(kind: type, n: int = 16) -> Any:
    return kind(n=n, d=16, std=0.02, generator=torch.Generator().manual_seed(0))


def test_a_place_that_leaks_into_the_rows_breaks_the_set(ask: Any) -> None:
    assert ask(position.attention_sees_a_set).word == "held"
    leaky = hooked(lambda weight, ids, rows: rows + torch.arange(rows.shape[1])[:, None])
    assert ask(position.attention_sees_a_set, leaky).word == "failed"


def test_under_a_mask_there_is_no_set_and_without_it_there_is(ask: Any) -> None:
    found = ask(position.masked_attention_sees_a_set)
    assert found.word == "failed"
    assert found.number > 0.1
    assert ask(position.masked_attention_sees_a_set, unmask).word == "held"


def test_rotation_that_never_happens_tells_no_order(ask: Any) -> None:
    assert ask(position.positions_tell_the_order).word == "held"
    assert ask(position.positions_tell_the_order, placed(PositionScheme())).word == "failed"
    unplaced = {"position": option("position", "none")}
    assert ask(position.positions_tell_the_order, config=unplaced).word == "not asked"


SINUSOIDAL = option("position", "sinusoidal")
RANDOM = np.random.default_rng(0).normal(size=(4096, 16))
SIGNATURES = [
    (position.sinusoids_are_signatures, lambda n: SINUSOIDAL.rows(n, 16)[np.arange(n) % 40]),
    (position.sinusoids_turn_by_a_fixed_rotation, lambda n: RANDOM[:n]),
    (position.sinusoidal_offsets_are_linear, lambda n: RANDOM[:n]),
]


@pytest.mark.parametrize(("claimed", "rows"), SIGNATURES, ids=lambda value: getattr(value, "key", ""))
def test_rows_that_repeat_or_are_no_sinusoids_are_found(ask: Any, claimed: Any, rows: Any) -> None:
    """Of the run's own scheme, where it is sinusoidal; else of one built for the check."""
    assert ask(claimed).word == "held"
    assert "built for this check (the run has rope)" in ask(claimed).why
    right = FixedAddition(rows=lambda n: SINUSOIDAL.rows(n, 16), n=16)
    assert ask(claimed, placed(right), config={"position": SINUSOIDAL}).word == "held"
    found = ask(claimed, placed(FixedAddition(rows=rows, n=16)), config={"position": SINUSOIDAL})
    assert found.word == "failed"
    assert "position=sinusoidal of this run" in found.why


def test_parameters_where_none_should_be_and_none_where_rows_should_are_found(ask: Any) -> None:
    assert ask(position.sinusoids_have_no_parameters).number == 0
    trained = ask(
        position.sinusoids_have_no_parameters, placed(table(LearnedAddition)), config={"position": SINUSOIDAL}
    )
    assert (trained.word, trained.number) == ("failed", 256)
    learned = {"position": option("position", "learned")}
    assert ask(position.learned_positions_are_rows).number == 256
    assert ask(position.learned_positions_are_rows, placed(table(LearnedAddition)), config=learned).word == "held"
    assert ask(position.learned_positions_are_rows, placed(PositionScheme()), config=learned).word == "failed"


def test_a_table_that_goes_on_is_found(ask: Any) -> None:
    learned = {"position": option("position", "learned")}
    assert ask(position.learned_positions_end).number == 16
    assert ask(position.learned_positions_end, placed(table(LearnedAddition)), config=learned).word == "held"
    found = ask(position.learned_positions_end, placed(table(ClampedAddition)), config=learned)
    assert (found.word, found.number) == ("failed", None)
    assert "a text of 33 tokens is served" in found.why
