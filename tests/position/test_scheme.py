"""The neutral scheme, and tables that keep their precision wherever the model goes."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch

from rowspace.position.frequencies import RopeOption
from rowspace.position.scheme import FixedTable, PositionScheme, number_like
from tests.parts import names, option, refusals

FIXED = [
    "sinusoidal",
    *(name for name in names("position") if isinstance(option("position", name), RopeOption)),
]
GROWING = [name for name in FIXED if not option("position", name).stretches]


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


@pytest.mark.parametrize("name", GROWING)
def test_tables_grow_to_the_position_asked_for_and_never_shrink(name: str):
    scheme, at_once = built(name), built(name)
    at_once.resize(40)
    for n in (20, 31, 40):
        scheme.reach(n)
        assert len(scheme.table) == n
        assert torch.equal(scheme.table, at_once.table[:n])
    scheme.reach(3)
    assert len(scheme.table) == 40


@pytest.mark.parametrize("name", names("position"))
def test_a_bf16_model_stays_bf16_through_positions(name: str):
    scheme = built(name).to(torch.bfloat16)
    h, q = torch.ones(1, 12, 16, dtype=torch.bfloat16), torch.ones(1, 2, 12, 8, dtype=torch.bfloat16)
    assert scheme.add(h, None).dtype == torch.bfloat16
    assert scheme.rotate(q, None).dtype == torch.bfloat16


@pytest.mark.parametrize("name", names("position"))
def test_a_copied_scheme_goes_its_own_way(name: str):
    scheme = built(name)
    other = deepcopy(scheme).double()
    if option("position", name).max_positions(12) is None:
        other.reach(40)
    for mine, same in zip(scheme.buffers(), built(name).buffers(), strict=True):
        assert torch.equal(mine, same)


@pytest.mark.parametrize("name", names("position"))
def test_nothing_but_trained_tables_is_in_the_state_dict(name: str):
    assert list(built(name).state_dict()) == (["table"] if option("position", name).learned else [])


@pytest.mark.parametrize("name", names("position"))
def test_two_schemes_of_other_values_share_nothing(name: str):
    other = {"base": 123.0} if "base" in type(option("position", name)).model_fields else {}
    first = [b.clone() for b in built(name).buffers()]
    option("position", name, **other).build(d=16, heads=2, n_ctx=12, generator=torch.Generator().manual_seed(7))
    assert all(torch.equal(mine, was) for mine, was in zip(built(name).buffers(), first, strict=True))


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("learned", torch.bfloat16, torch.float32),
        ("t5_bias", torch.float64, torch.float64),
        ("rope", torch.bfloat16, torch.float32),
        ("none", torch.bfloat16, torch.float32),
    ],
)
def test_measures_are_taken_in_the_scheme_s_own_type_and_never_below_float32(name, kind, expected):
    assert number_like(built(name).to(kind)).dtype == expected


@pytest.mark.parametrize("name", [name for name in names("position") if option("position", name).inside_attention])
@pytest.mark.parametrize("body", ["none", "rnn", "lstm"])
def test_a_scheme_inside_attention_is_refused_where_there_is_none(name: str, body: str):
    (problem,) = [problem for problem in refusals(name, body) if problem.key == "position"]
    assert str(problem) == (
        f"position: {name} acts inside attention, and body={body} has none; position=none, sinusoidal or learned"
    )
