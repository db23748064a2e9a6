"""The position certificate holds for what is right and fails for what is not."""

from __future__ import annotations

import pytest
import torch

from rowspace.position.invariance import certify, measure_effect, measure_offset_error
from rowspace.position.scheme import PositionScheme
from tests.parts import names, option


def built(name: str):
    """d = 16 in two heads."""
    return option("position", name).build(d=16, heads=2, n_ctx=12, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("name", names("position"))
def test_every_scheme_keeps_what_it_claims(name: str):
    certificate = certify(option("position", name), built(name), d=16, heads=2, n_ctx=12)
    assert certificate["verdict"] == "held", certificate


def test_a_rotation_that_never_happens_is_caught():
    certificate = certify(option("position", "rope"), PositionScheme(), d=16, heads=2, n_ctx=12)
    assert certificate["verdict"] == "failed"


def test_a_rotation_whose_table_was_rounded_is_caught():
    scheme = built("rope")
    scheme.reach(1100)
    scheme.table = scheme.table.bfloat16().float()
    assert certify(option("position", "rope"), scheme, d=16, heads=2, n_ctx=12)["verdict"] == "failed"


def test_a_table_that_turns_positions_unevenly_is_caught():
    scheme = built("rope")
    scheme.reach(1016)
    scheme.table[500:] = scheme.table[500:].flip(0)
    assert certify(option("position", "rope"), scheme, d=16, heads=2, n_ctx=12)["verdict"] == "failed"


def test_a_learned_table_that_is_not_trained_is_caught():
    assert certify(option("position", "learned"), built("sinusoidal"), d=16, heads=2, n_ctx=12)["verdict"] == "failed"


@pytest.mark.parametrize("shift", [10, 100_000])
def test_the_offset_error_of_rope_is_rounding_at_every_distance(shift: int):
    assert measure_offset_error(built("rope"), heads=2, d_head=8, shift=shift) < 1e-6


def test_a_scheme_that_is_not_relative_has_a_large_offset_error():
    class Stretched(PositionScheme):
        def rotate(self, x, positions):
            return x * (1 + positions[0, :, None])

    assert measure_offset_error(Stretched(), heads=2, d_head=8, shift=10) > 0.5


def test_only_the_scheme_none_has_no_effect():
    for name in names("position"):
        assert (measure_effect(built(name), d=16, heads=2, n=12) > 0) == (name != "none")
