"""The laws catch what is known to go wrong in rotary code: each fault is planted and found, and nothing else is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from rowspace.position.frequencies import RopeOption
from rowspace.position.laws import find_broken_laws, measure_frequencies, measure_slowdown
from rowspace.position.rotary import Rotary, StretchingRotary
from rowspace.position.scheme import PositionScheme
from tests.parts import names, option

ROTARY = [name for name in names("position") if isinstance(option("position", name), RopeOption)]
SIZES = {"heads": 2, "d_head": 32, "n_ctx": 256}


def built(chosen: RopeOption) -> Any:
    """Two heads of 32."""
    return chosen.build(d=64, heads=2, n_ctx=256, generator=None)


def with_frequencies(chosen: RopeOption, frequencies: np.ndarray, factor: float | None = None) -> Rotary:
    """A live scheme that turns by other frequencies than its option's."""
    factor = chosen.attention_factor() if factor is None else factor
    return Rotary(frequencies=frequencies, n=256, attention_factor=factor)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", ROTARY)
def test_every_rotary_scheme_keeps_its_laws_in_a_model_of_any_type(name: str, dtype: torch.dtype):
    chosen = option("position", name)
    assert find_broken_laws(chosen, built(chosen).to(dtype), **SIZES) == []


@pytest.mark.parametrize("name", ROTARY)
@pytest.mark.parametrize("n_ctx", [2, 5, 100])
@pytest.mark.parametrize("d_head", [4, 6, 256])
def test_every_rotary_scheme_keeps_its_laws_in_heads_and_windows_of_any_size(name: str, n_ctx: int, d_head: int):
    chosen = option("position", name)
    scheme = chosen.build(d=d_head, heads=1, n_ctx=n_ctx, generator=None)
    assert find_broken_laws(chosen, scheme, heads=1, d_head=d_head, n_ctx=n_ctx) == []


@pytest.mark.parametrize("name", ROTARY)
def test_frequencies_are_read_back_from_what_the_scheme_does(name: str):
    chosen = option("position", name)
    found = measure_frequencies(built(chosen), heads=2, d_head=32, length=256)
    np.testing.assert_allclose(found, chosen.frequencies(32, 256), rtol=1e-6)


@pytest.mark.parametrize("name", ["rope_yarn", "rope_llama3"])
def test_a_ramp_that_runs_the_wrong_way_is_caught_in_the_live_scheme(name: str):
    chosen = option("position", name)
    plain = option("position", "rope", base=chosen.base).frequencies(32, 256)
    inverted = plain + plain / chosen.factor - chosen.frequencies(32, 256)
    broken = find_broken_laws(chosen, with_frequencies(chosen, inverted), **SIZES)
    assert any("plain rope divided by" in law for law in broken)
    assert any("slowed down more than a slower one" in law for law in broken)


@pytest.mark.parametrize("ramp", ["index", "wavelength"])
def test_a_ramp_that_runs_the_wrong_way_is_caught_in_the_option_itself(ramp: str):
    class Inverted(type(option("position", "rope_yarn"))):
        def mixture(self, d_head: int, n_ctx: int) -> np.ndarray:
            return 1 - super().mixture(d_head, n_ctx)

    chosen = Inverted(**option("position", "rope_yarn", ramp=ramp).model_dump())
    broken = find_broken_laws(chosen, built(chosen), **SIZES)
    assert any("slowed down more than a slower one" in law for law in broken)
    assert any("plain rope" in law for law in broken)


@pytest.mark.parametrize("name", ROTARY)
def test_a_rotation_that_never_happens_is_caught(name: str):
    broken = find_broken_laws(option("position", name), PositionScheme(), **SIZES)
    assert any("pair 0 does not turn forward" in law for law in broken)


@pytest.mark.parametrize("name", ROTARY)
def test_a_table_that_is_kept_without_regard_to_its_base_is_caught(name: str):
    kept: dict[tuple[int, int], Any] = {}

    def build_once(chosen: RopeOption) -> Any:
        """The fault: the key has the sizes and not the base."""
        return kept.setdefault((256, 32), built(chosen))

    first, second = option("position", name, base=10000.0), option("position", name, base=700.0)
    assert find_broken_laws(first, build_once(first), **SIZES) == []
    assert any("plain rope" in law for law in find_broken_laws(second, build_once(second), **SIZES))


@pytest.mark.parametrize("name", ROTARY)
def test_frequencies_that_are_kept_without_regard_to_their_base_are_caught_in_the_option_itself(name: str):
    kept: dict[int, np.ndarray] = {}
    kind: Any = type(option("position", name))

    class Forgetful(kind):
        def frequencies(self, d_head: int, n_ctx: int, length: int | None = None) -> np.ndarray:
            return kept.setdefault(d_head, super().frequencies(d_head, n_ctx, length))

    values = option("position", name).model_dump()
    Forgetful(**{**values, "base": 10000.0}).frequencies(32, 256)
    second = Forgetful(**{**values, "base": 700.0})
    assert find_broken_laws(second, built(second), **SIZES)


@pytest.mark.parametrize("name", [name for name in ROTARY if name != "rope"])
def test_a_scaling_that_changes_nothing_is_caught(name: str):
    chosen = option("position", name)
    plain = option("position", "rope", base=chosen.base).frequencies(32, 256)
    broken = find_broken_laws(chosen, with_frequencies(chosen, plain), **SIZES)
    assert any("changes no frequency" in law for law in broken)


def test_a_factor_of_one_that_is_not_plain_rope_is_caught():
    class Shifted(type(option("position", "rope_pi"))):
        def frequencies(self, d_head: int, n_ctx: int, length: int | None = None) -> np.ndarray:
            return super().frequencies(d_head, n_ctx, length) * 0.99

    chosen = Shifted(**option("position", "rope_pi").model_dump())
    assert "factor=1 is not plain rope" in find_broken_laws(chosen, built(chosen), **SIZES)


def test_a_missing_or_stray_attention_factor_is_caught():
    yarn, plain = option("position", "rope_yarn"), option("position", "rope")
    for chosen, factor in ((yarn, 1.0), (plain, 1.1)):
        scheme = with_frequencies(chosen, chosen.frequencies(32, 256), factor)
        assert any("lengths of queries" in law for law in find_broken_laws(chosen, scheme, **SIZES))


def test_position_0_that_is_turned_is_caught():
    class Late(Rotary):
        def rotate(self, x: Any, positions: Any) -> Any:
            return super().rotate(x, positions + 1)

    chosen = option("position", "rope")
    late = Late(frequencies=chosen.frequencies(32, 256), n=600)
    assert any("position 0 is turned" in law for law in find_broken_laws(chosen, late, **SIZES))


def test_angles_that_stay_stretched_in_a_later_short_window_are_caught():
    class Stuck(StretchingRotary):
        def reach(self, n: int) -> None:
            super().reach(max(n, len(self.table)))

    chosen = option("position", "rope_dynamic_ntk")
    stuck = Stuck(frequencies=lambda n: chosen.frequencies(32, 256, n), unchanged=256, n=256)
    broken = find_broken_laws(chosen, stuck, **SIZES)
    assert broken
    assert all("in a window of 256" in law for law in broken)


def test_the_slowdown_is_the_largest_share_that_a_pair_lost():
    plain = np.array([1.0, 0.1, 0.01, 0.001])
    assert measure_slowdown(plain, base=10000.0) == pytest.approx(0, abs=1e-12)
    assert measure_slowdown(plain * [1, 1, 0.6, 0.9], base=10000.0) == pytest.approx(0.4)
    assert measure_slowdown(plain * [1, 1.5, 1, 1], base=10000.0) == pytest.approx(0.5)
