"""Learning-rate factors: warm-up, the part after it, and warm-ups that do not fit."""

from __future__ import annotations

import pytest

from tests.parts import names, option


def factors(name: str, total: int, **changes) -> list[float]:
    """The factor at every step."""
    schedule = option("schedule", name, **changes)
    return [schedule.factor(step, total) for step in range(total)]


@pytest.mark.parametrize("name", names("schedule"))
def test_the_warm_up_rises_in_equal_steps_to_the_full_rate(name: str):
    found = factors(name, 100, warmup_steps=4)
    assert found[:5] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert max(found) == 1.0


@pytest.mark.parametrize("name", names("schedule"))
@pytest.mark.parametrize("total", [1, 2, 49, 50, 51, 500])
def test_every_factor_is_positive_and_at_most_one(name: str, total: int):
    found = factors(name, total)
    assert all(0 < factor <= 1 for factor in found)
    assert max(found) > 0.5


@pytest.mark.parametrize("name", names("schedule"))
def test_a_warm_up_longer_than_the_budget_is_scaled_and_said(name: str):
    schedule = option("schedule", name, warmup_steps=1000)
    assert schedule.warmup(200) == 20
    assert [*schedule.remarks(None, 200)] == ["Warm-up scaled from 1000 to 20 steps: the whole run has 200."]
    assert schedule.warmup(1001) == 1000
    assert [*schedule.remarks(None, 1001)] == []


def test_constant_stays():
    assert set(factors("constant", 30, warmup_steps=0)) == {1.0}


def test_cosine_falls_along_half_a_wave_to_its_floor():
    found = factors("cosine", 101, warmup_steps=0, final_factor=0.1)
    assert found[0] == 1.0
    assert option("schedule", "cosine", warmup_steps=0, final_factor=0.1).factor(50, 100) == pytest.approx(0.55)
    assert found[-1] == pytest.approx(0.1, abs=0.001)
    assert found == sorted(found, reverse=True)


def test_wsd_is_stable_and_then_falls_in_a_straight_line():
    found = factors("wsd", 100, warmup_steps=0, decay_share=0.2, final_factor=0.0)
    assert set(found[:81]) == {1.0}
    assert found[90] == pytest.approx(0.5)
    assert found[99] == pytest.approx(0.05)
