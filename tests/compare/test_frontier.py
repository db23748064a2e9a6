"""Readings at equal budgets against numbers worked out by hand; nothing is read beyond a curve."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from rowspace.compare.arms import make_arms
from rowspace.compare.axes import find_axes
from rowspace.compare.base import Arm, Ran
from rowspace.compare.frontier import budgets_of, find_frontiers, read_at
from rowspace.table import Missing
from tests.compare.planted import ran


def curve(points: dict[float, float], bytes_a_token: float = 4.0, flops: float = 10.0) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"step": at, "tokens": at, "bytes": at * bytes_a_token, "flops": at * flops, "seconds": at / 100}
        | {"val/bpb": value, "val/loss": 3 * value}
        for at, value in points.items()
    )


def arms_of(runs: list[Ran]) -> tuple[Arm, ...]:
    axes, _ = find_axes(runs)
    return make_arms(runs, axes, "test/bpb").arms


def test_a_reading_is_linear_in_the_logarithm_of_the_budget() -> None:
    run = ran({"seed": 0}, 2.0, curve=curve({0: 8.0, 100: 3.0, 400: 2.5, 1600: 2.1}))
    assert read_at(run, "tokens", 200, "val/bpb") == pytest.approx(2.75)
    assert read_at(run, "bytes", 4 * 800, "val/bpb") == pytest.approx(2.3)
    assert read_at(run, "flops", 10 * 400, "val/bpb") == pytest.approx(2.5)
    assert read_at(run, "seconds", 1.0, "val/loss") == pytest.approx(9.0)
    assert read_at(run, "tokens", 1600, "val/bpb") == 2.1
    third = 100 * math.exp(math.log(4) / 3)
    assert read_at(run, "tokens", third, "val/bpb") == pytest.approx(3.0 - 0.5 / 3)


@pytest.mark.parametrize(
    ("spent", "said"), [(99, "first validated at 100"), (1601, "ended at 1.6e\\+03"), (0, "first")]
)
def test_nothing_is_read_beyond_a_curve(spent: float, said: str) -> None:
    run = ran({"seed": 0}, 2.0, curve=curve({0: 8.0, 100: 3.0, 1600: 2.1}))
    found = read_at(run, "tokens", spent, "val/bpb")
    assert isinstance(found, Missing)
    assert re.search(said, found.reason)
    nothing = read_at(ran({"seed": 0}, 2.0), "tokens", 5, "val/bpb")
    assert isinstance(nothing, Missing)


def test_arms_are_read_at_budgets_that_all_reach_and_the_best_may_change() -> None:
    """One arm reads 4 bytes a token and 10 FLOPs, the other 8 and 40: by bytes the second wins, by FLOPs the first."""
    runs = [
        ran({"tokenizer": "byte", "seed": s}, 2.0, curve=curve({100: 3.0 + s, 800: 2.4 + s}, 4, 10)) for s in (0, 1)
    ] + [ran({"tokenizer": "bpe", "seed": s}, 2.0, curve=curve({100: 2.9 + s, 800: 2.0 + s}, 8, 40)) for s in (0, 1)]
    found = {frontier.budget: frontier for frontier in find_frontiers(arms_of(runs), "val/bpb")}
    by_bytes, by_flops = found["bytes"], found["flops"]
    assert by_bytes.budgets == (800, 1600, 3200, 6400)
    assert [getattr(best, "label", best) for best in by_bytes.best[1:3]] == ["tokenizer bpe", "tokenizer bpe"]
    assert "1 of 2 arms" in by_bytes.best[3].reason  # type: ignore[union-attr]
    assert by_flops.budgets == (4000, 8000, 32000)
    # byte at 4,000 FLOPs has 400 tokens: 3.0 - 0.6 * ln 4 / ln 8 = 2.6; bpe has 100 tokens: 2.9; seeds add 0 and 1
    readings = {point.arm.label: point.value for point in by_flops.points if point.spent == 4000}
    assert readings["tokenizer byte"].mean == pytest.approx(2.6 + 0.5)  # type: ignore[union-attr]
    assert readings["tokenizer bpe"].mean == pytest.approx(2.9 + 0.5)  # type: ignore[union-attr]
    assert by_flops.best[0].label == "tokenizer byte"  # type: ignore[union-attr]
    assert by_flops.unit == "FLOPs of training"


def test_where_no_budget_is_shared_arms_are_read_and_none_is_best() -> None:
    assert budgets_of([(1, 10), (100, 10_000)]) == pytest.approx((1, 10, 100, 1000, 10_000))
    runs = [
        ran({"model.d": d, "seed": 0}, 2.0, curve=curve({at: 3.0, 10 * at: 2.0})) for d, at in ((32, 10), (64, 1000))
    ]
    tokens = next(one for one in find_frontiers(arms_of(runs), "val/bpb") if one.budget == "tokens")
    assert all(isinstance(best, Missing) for best in tokens.best)
    assert any(not isinstance(point.value, Missing) for point in tokens.points)


def test_what_a_few_reach_a_little_beyond_all_is_no_budget_of_its_own() -> None:
    assert budgets_of([(10, 100), (10, 104)]) == pytest.approx((12.5, 25, 50, 100))
    assert budgets_of([(10, 100), (10, 110)]) == pytest.approx((12.5, 25, 50, 100, 110))


def test_runs_with_one_reading_each_at_nearly_the_same_budget_have_no_frontier() -> None:
    assert budgets_of([(100, 100), (101, 101)]) == ()
    runs = [ran({"model.d": d, "seed": 0}, 2.0, curve=curve({at: 3.0})) for d, at in ((32, 1000), (64, 1001))]
    assert find_frontiers(arms_of(runs), "val/bpb") == ()


def test_a_cost_that_is_not_known_has_no_frontier() -> None:
    def blind(point: dict[str, Any]) -> dict[str, Any]:
        return {**point, "flops": None}

    runs = [ran({"model.d": d, "seed": 0}, 2.0, curve=tuple(map(blind, curve({10: 3.0, 20: 2.0})))) for d in (32, 64)]
    assert [one.budget for one in find_frontiers(arms_of(runs), "val/bpb")] == ["bytes", "tokens", "seconds"]
    assert find_frontiers(arms_of(runs[:1]), "val/bpb") == ()
