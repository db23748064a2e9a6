"""Rows and positions where they enter: by the run's scheme and scale, and a look-up that knows its place."""

from __future__ import annotations

import pytest
import torch

from rowspace.claims.part1 import position
from tests.claims.lesson2.conftest import hooked
from tests.parts import option


@pytest.mark.parametrize(
    ("scheme", "scale", "word"),
    [("sinusoidal", 4.0, "held"), ("sinusoidal", 1.0, "conditional"), ("rope", 4.0, "conditional")],
)
def test_the_chapters_input_is_one_convention_of_several(ask, scheme: str, scale: float, word: str):
    chosen = option("position", scheme)

    def plant(model):
        model.position = chosen.build(d=16, heads=2, n_ctx=16, generator=torch.Generator())
        model.embedding.scale = scale

    found = ask(position.input_is_a_scaled_row_plus_a_position, plant, config={"position": chosen})
    assert found.word == word
    assert (found.number > 0) == (scheme == "sinusoidal")


def test_a_look_up_knows_no_place_and_one_that_does_is_found(ask):
    assert ask(position.lookup_knows_no_place).word == "held"

    def knows(weight, ids, rows):
        return rows + torch.arange(rows.shape[1])[:, None]

    assert ask(position.lookup_knows_no_place, hooked(knows)).word == "failed"
