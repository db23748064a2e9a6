"""What rotary options share: the door, the trained length, and another scaling over trained weights."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from rowspace.position.frequencies import RopeOption
from tests.parts import ids, model, names, option, shape

ROTARY = [name for name in names("position") if isinstance(option("position", name), RopeOption)]
SCALED = [name for name in ROTARY if name != "rope"]


@pytest.mark.parametrize("name", SCALED)
@pytest.mark.parametrize("factor", [0.99, 0.0, -2.0])
def test_a_factor_below_one_is_refused_with_the_reason(name: str, factor: float):
    with pytest.raises(ValidationError, match="a number >= 1: windows get that many times longer"):
        option("position", name, factor=factor)


@pytest.mark.parametrize("name", SCALED)
def test_numbers_so_large_that_arithmetic_would_overflow_are_refused_and_the_largest_are_not(name: str):
    for changes in ({"factor": 1e300}, {"base": 1e300}):
        with pytest.raises(ValidationError, match="less than or equal to"):
            option("position", name, **changes)
    w = option("position", name, factor=1e6, base=1e15).frequencies(4, 2, 2**20).astype(np.float32)
    assert (w > 0).all()


@pytest.mark.parametrize(("d", "body", "refused"), [(36, "decoder", True), (40, "decoder", False)])
@pytest.mark.parametrize("name", ROTARY)
def test_heads_of_odd_width_are_refused_at_the_door(name: str, d: int, body: str, refused: bool):
    run = SimpleNamespace(model=shape(d=d, heads=4), body=option("body", body))
    expected = [
        f"model.d: {d} is not 4 heads (model.heads) of even width; position={name} rotates pairs: a multiple of 8"
    ]
    assert [str(problem) for problem in option("position", name).problems(run)] == expected * refused


@pytest.mark.parametrize("name", ROTARY)
def test_a_single_pair_is_refused_where_the_slowest_is_also_the_fastest(name: str):
    run = SimpleNamespace(model=shape(d=8, heads=4), body=option("body", "decoder"))
    expected = f"model.d: 8 is 4 heads (model.heads) of 1 pair; position={name} needs 2 pairs in a head: at least 16"
    found = [str(problem) for problem in option("position", name).problems(run)]
    assert found == ([] if name in ("rope", "rope_pi") else [expected])


def test_what_the_body_or_the_sizes_say_themselves_is_not_said_twice():
    for run in (
        SimpleNamespace(model=shape(d=37, heads=4), body=option("body", "decoder")),
        SimpleNamespace(model=shape(d=37, heads=4), body=None),
        SimpleNamespace(model=None, body=None),
    ):
        assert list(option("position", "rope").problems(run)) == []


@pytest.mark.parametrize("name", ROTARY)
@pytest.mark.parametrize("base", [10.0, 10000.0, 500000.0])
@pytest.mark.parametrize("d_head", [4, 16, 128])
def test_a_factor_of_one_gives_the_frequencies_of_plain_rope_to_the_bit(name: str, base: float, d_head: int):
    plain = option("position", "rope", base=base).frequencies(d_head, 256)
    changes = {} if name == "rope" else {"factor": 1.0}
    assert np.array_equal(option("position", name, base=base, **changes).frequencies(d_head, 256), plain)


@pytest.mark.parametrize("name", ["rope_yarn", "rope_llama3", "rope_dynamic_ntk"])
def test_the_trained_length_is_the_window_unless_it_is_given(name: str):
    given, null = option("position", name, trained_n_ctx=64), option("position", name)
    for length in (64, 512):
        assert np.array_equal(given.frequencies(32, 512, length), null.frequencies(32, 64, length))
    assert not np.array_equal(given.frequencies(32, 512, 512), null.frequencies(32, 512, 512))


@pytest.mark.parametrize("name", SCALED)
def test_a_trained_rope_run_is_read_with_another_scaling_over_the_same_weights(name: str):
    trained, lm = option("position", "rope", base=700.0), model(position=option("position", "rope", base=700.0))
    values = option("position", name).model_dump(exclude={"name", "base", "trained_n_ctx"}) | {"factor": 3.0}
    other = trained.rescaled(name, n_ctx=12, **values)
    assert (other.name, other.base, other.factor) == (name, 700.0, 3.0)
    assert other.trained(99) == (12 if "trained_n_ctx" in type(other).model_fields else 99)
    weights = {key: value.clone() for key, value in lm.state_dict().items()}
    lm.position = other.build(d=16, heads=2, n_ctx=12, generator=None)
    fresh = model(position=other, seed=5)
    fresh.load_state_dict(weights)
    assert torch.equal(lm(ids(T=36)), fresh(ids(T=36)))


def test_a_scaling_of_no_known_field_is_refused():
    with pytest.raises(ValidationError, match="faktor"):
        option("position", "rope").rescaled("rope_pi", n_ctx=12, faktor=2.0)
