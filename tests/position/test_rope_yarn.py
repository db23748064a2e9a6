"""YaRN's two ramps, its bounds, and what it says when the trained length is too short for beta_fast."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from pydantic import ValidationError

from tests.parts import option, shape


def yarn(**changes):
    """L = 2048."""
    return option("position", "rope_yarn", **{"trained_n_ctx": 2048, **changes})


@pytest.mark.parametrize("ramp", ["index", "wavelength"])
def test_the_fastest_pair_is_kept_and_the_slowest_divided_where_the_trained_length_suffices(ramp: str):
    w, plain = yarn(ramp=ramp).frequencies(64, 1), option("position", "rope").frequencies(64, 1)
    assert w[0] == plain[0]
    assert w[-1] == plain[-1] / 4
    assert (np.diff(plain / w) >= 0).all()


def test_the_ramps_differ_between_the_two_ends_only():
    index, wavelength = (yarn(ramp=ramp).frequencies(16, 1) for ramp in ("index", "wavelength"))
    assert np.flatnonzero(~np.isclose(index, wavelength)).tolist() == [3, 4, 5]


@pytest.mark.parametrize("ramp", ["index", "wavelength"])
def test_where_no_pair_turns_even_beta_slow_times_all_are_divided(ramp: str):
    w = yarn(ramp=ramp, trained_n_ctx=6).frequencies(16, 1)
    np.testing.assert_array_equal(w, option("position", "rope").frequencies(16, 1) / 4)


@pytest.mark.parametrize("ramp", ["index", "wavelength"])
def test_where_all_pairs_turn_beta_fast_times_all_are_kept(ramp: str):
    w = yarn(ramp=ramp, trained_n_ctx=2**20, base=2.0).frequencies(4, 1)
    np.testing.assert_array_equal(w, option("position", "rope", base=2.0).frequencies(4, 1))


def test_a_trained_length_below_two_pi_beta_fast_is_remarked_on_and_then_not_even_the_fastest_pair_is_kept():
    run = SimpleNamespace(model=shape(n_ctx=64))
    (said,) = option("position", "rope_yarn").remarks(run, 100)
    assert said.startswith("position=rope_yarn: beta_fast=32 presumes 201 trained positions, and here there are 64")
    assert option("position", "rope_yarn", ramp="wavelength").frequencies(32, 64)[0] < 1
    assert list(option("position", "rope_yarn", trained_n_ctx=202).remarks(run, 100)) == []
    assert option("position", "rope_yarn", ramp="wavelength").frequencies(32, 202)[0] == 1


@pytest.mark.parametrize(
    ("name", "slow", "fast"),
    [("rope_yarn", "beta_slow", "beta_fast"), ("rope_llama3", "low_freq_factor", "high_freq_factor")],
)
def test_bounds_in_the_wrong_order_are_refused(name: str, slow: str, fast: str):
    with pytest.raises(ValidationError, match=f"a number < {fast}=2: the slow pairs turn less often"):
        option("position", name, **{slow: 2.0, fast: 2.0})
