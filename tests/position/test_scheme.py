"""The neutral scheme, and tables that keep their precision wherever the model goes."""

from __future__ import annotations

import pytest
import torch

from rowspace.position.scheme import FixedTable, PositionScheme
from tests.parts import names, option

FIXED = ["sinusoidal", "rope"]


def built(name: str, n_ctx: int = 12) -> PositionScheme:
    """The scheme at its values in conf/ for d = 16 in two heads."""
    return option("position", name).build(d=16, heads=2, n_ctx=n_ctx, generator=torch.Generator().manual_seed(0))


def test_the_scheme_none_does_nothing_at_every_hook():
    scheme = built("none")
    h, q, at = torch.ones(1, 3, 16), torch.ones(1, 2, 3, 8), torch.arange(3)[None]
    assert scheme.add(h, None) is h
    assert scheme.rotate(q, None) is q
    assert scheme.bias(at, at, h) is None


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_tables_stay_in_float32_when_the_model_becomes_smaller(name: str, kind: torch.dtype):
    scheme, plain = built(name, 5000), built(name, 5000)
    scheme.to(kind)
    assert scheme.table.dtype == torch.float32
    assert torch.equal(scheme.table, plain.table)


@pytest.mark.parametrize("name", FIXED)
def test_tables_of_a_float64_model_are_exact_in_float64(name: str):
    scheme = built(name, 5000).double()
    assert scheme.table.dtype == torch.float64
    expected = scheme.table.float()
    assert torch.equal(expected, built(name, 5000).table)
    assert not torch.equal(scheme.table, expected.double())


@pytest.mark.parametrize("name", FIXED)
def test_tables_are_no_part_of_the_state_dict_and_have_no_parameters(name: str):
    scheme = built(name)
    assert isinstance(scheme, FixedTable)
    assert scheme.state_dict() == {}
    assert list(scheme.parameters()) == []


@pytest.mark.parametrize("name", FIXED)
def test_tables_grow_to_the_position_asked_for_and_never_shrink(name: str):
    scheme = built(name)
    scheme.reach(40)
    assert len(scheme.table) == 40
    assert torch.equal(scheme.table, built(name, 40).table)
    scheme.reach(3)
    assert len(scheme.table) == 40


@pytest.mark.parametrize("name", names("position"))
def test_a_bf16_model_stays_bf16_through_positions(name: str):
    scheme = built(name).to(torch.bfloat16)
    h, q = torch.ones(1, 12, 16, dtype=torch.bfloat16), torch.ones(1, 2, 12, 8, dtype=torch.bfloat16)
    assert scheme.add(h, None).dtype == torch.bfloat16
    assert scheme.rotate(q, None).dtype == torch.bfloat16
