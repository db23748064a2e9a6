"""Rows of positions: signatures, rotations, what can be read off them, and where they end."""

from __future__ import annotations

import numpy as np
import pytest

from rowspace.position.scheme import PositionScheme
from rowspace.position.signatures import added_rows, find_end, measure_nearest, measure_recovery, measure_rotation_error
from tests.parts import names, option
from tests.position.test_invariance import built

SINUSOIDAL = option("position", "sinusoidal")
RANDOM = np.random.default_rng(0).normal(size=(60, 16))


def test_rows_are_what_the_live_scheme_adds_in_float64():
    assert np.array_equal(added_rows(built("sinusoidal"), n=40, d=16), SINUSOIDAL.rows(40, 16))
    scheme = built("learned")
    assert np.array_equal(added_rows(scheme, n=5, d=16), scheme.table[:5].detach().double().numpy())
    for name in names("position"):
        assert added_rows(built(name), n=12, d=16).any() == (name in ("sinusoidal", "learned"))


def test_no_two_sinusoidal_rows_are_alike_and_repeated_ones_are_found():
    rows = SINUSOIDAL.rows(300, 16)
    assert measure_nearest(rows) > 0.1
    assert measure_nearest(100 * rows) == pytest.approx(measure_nearest(rows))
    assert measure_nearest(rows[np.arange(300) % 299]) == 0
    assert measure_nearest(np.zeros((4, 2))) == 0


@pytest.mark.parametrize("base", [10000.0, 50.0])
@pytest.mark.parametrize("d", [4, 15, 16])
@pytest.mark.parametrize("shift", [1, 7])
def test_a_step_turns_every_row_alike(base: float, d: int, shift: int):
    rows = option("position", "sinusoidal", base=base).rows(60, d)
    assert measure_rotation_error(rows, shift=shift, base=base) < 1e-12
    assert measure_rotation_error(rows, shift=shift, base=2 * base) > 1e-3
    assert measure_rotation_error(rows[::-1], shift=shift, base=base) > 0.01


def test_an_offset_is_linear_in_sinusoids_and_not_in_random_rows():
    assert measure_recovery(SINUSOIDAL.rows(60, 16), shift=7) == pytest.approx(1, abs=1e-9)
    assert measure_recovery(RANDOM, shift=7) < 0.5
    assert measure_recovery(np.ones((60, 16)), shift=7) == 0


@pytest.mark.parametrize("name", names("position"))
def test_a_scheme_ends_where_its_option_says(name: str):
    scheme = built(name)
    size = len(getattr(scheme, "table", ()))
    assert find_end(scheme, most=1016) == option("position", name).max_positions(12)
    assert len(getattr(scheme, "table", ())) == size  # the live one has not grown


@pytest.mark.parametrize(("beyond", "end"), [("refuse", 5), ("clamp", None), ("interpolate", None)])
def test_a_learned_table_ends_where_longer_texts_are_refused(beyond: str, end: int | None):
    assert find_end(built("learned", n_max=5, beyond=beyond), most=1016) == end
    assert find_end(built("learned", n_max=5, beyond=beyond), most=5) is None
    assert find_end(PositionScheme(), most=1016) is None
