"""Effects of axes: planted ones are found, what a design cannot tell is named, intervals hold what they promise."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit

from rowspace.compare.arms import make_arms
from rowspace.compare.axes import find_axes
from rowspace.compare.base import Effect, Ran
from rowspace.compare.effects import Effects, find_effects
from rowspace.compare.linear import Design
from rowspace.table import Missing
from tests.compare.planted import grid, ran

STUDIES = 2000


def found_in(runs: Sequence[Ran]) -> tuple[dict[tuple[str, ...], Effect], list[str]]:
    axes, _ = find_axes(runs)
    effects, notes = find_effects(make_arms(runs, axes, "test/bpb").arms, axes, "test/bpb")
    return {effect.keys: effect for effect in effects}, notes


def studied(cells: Sequence[dict[str, Any]], value: Any, seeds: int = 3, noise: float = 0.001) -> list[Ran]:
    rng = np.random.default_rng(7)
    shared = rng.normal(0, 0.05, seeds)
    return [
        ran({**cell, "seed": seed}, value(cell) + shared[seed] + noise * rng.standard_normal())
        for cell in cells
        for seed in range(seeds)
    ]


def test_planted_main_effects_and_an_interaction_are_found() -> None:
    cells = grid(position=["rope", "alibi", "none"], head__tie=[True, False], model__d=[32, 64])

    def value(cell: dict[str, Any]) -> float:
        lost = 0.06 if cell["position"] == "none" else 0.0
        return 2.0 + lost + (0.02 if cell["head.tie"] and cell["model.d"] == 32 else 0.0)

    effects, notes = found_in(studied(cells, value))
    position = effects["position",]
    assert {cell[0]: round(change.mean, 2) for cell, change in position.changes.items()} == {
        "alibi": -0.02,
        "none": 0.04,
        "rope": -0.02,
    }
    assert position.p_value < 1e-6  # type: ignore[operator]
    assert position.span == pytest.approx(0.06, abs=0.002)
    both = effects["model.d", "head.tie"]
    assert both.p_value < 1e-6  # type: ignore[operator]
    assert both.changes[32, True].mean == pytest.approx(0.005, abs=0.001)
    for keys in (("position", "head.tie"), ("model.d", "position")):
        assert effects[keys].p_value > 0.01  # type: ignore[operator]
    assert next(iter(effects)) == ("position",), "the largest first"
    assert len(position.points["none",]) == 12
    assert not notes
    assert 0.9 < sum(effect.share for effect in effects.values()) / _share_beside_seeds(studied(cells, value)) < 1.01  # type: ignore[misc]


def test_a_gap_is_the_span_with_an_interval_widened_for_the_pick() -> None:
    cells = grid(position=["rope", "alibi", "none"], head__tie=[True, False])
    effects, _ = found_in(studied(cells, lambda cell: 2.0 + 0.06 * (cell["position"] == "none"), noise=0.01))
    gap, change = effects["head.tie",].gap, effects["head.tie",].changes[True,]
    assert gap is not None
    assert (gap.mean, gap.high - gap.low) == pytest.approx((2 * abs(change.mean), 2 * (change.high - change.low)))
    wide = effects["position",].gap
    assert wide is not None
    assert wide.mean == pytest.approx(effects["position",].span)
    df = 10  # 18 runs, less a mean, 5 arms' degrees of freedom and 2 of seeds
    plain = 2 * stdtrit(df, 0.975) * wide.sd * np.sqrt(2 / 6)
    assert (wide.high - wide.low) / plain == pytest.approx(stdtrit(df, 1 - 0.025 / 3) / stdtrit(df, 0.975))
    assert effects["position", "head.tie"].gap is None


def _share_beside_seeds(runs: Sequence[Ran]) -> float:
    y = np.array([run.metrics["test/bpb"] for run in runs])
    seeds = np.array([y[seed::3].mean() for seed in range(3)])
    return 1 - len(y) / 3 * ((seeds - y.mean()) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def test_an_unbalanced_study_is_solved_as_plain_least_squares_would() -> None:
    rng = np.random.default_rng(3)
    cells = [*itertools.product(["a", "b", "c"], ["x", "y"], [0, 1])]
    rows = [cells[place] for place in rng.integers(0, len(cells), 40)]
    y = rng.normal(0, 1, len(rows)) + np.array([{"a": 0.0, "b": 1.0, "c": 3.0}[row[0]] for row in rows])
    effects = Effects(Design({"one": [r[0] for r in rows], "two": [r[1] for r in rows], "three": [r[2] for r in rows]}))

    def coded(*terms: int) -> np.ndarray:
        columns = [np.ones(len(rows))]
        for term in terms:
            for level in sorted({row[term] for row in rows})[1:]:
                columns.append(np.array([float(row[term] == level) for row in rows]))
        return np.column_stack(columns)

    def left(X: np.ndarray) -> float:
        return float(np.linalg.lstsq(X, y, rcond=None)[1][0])

    solution = np.linalg.lstsq(coded(0, 1, 2), y, rcond=None)[0]
    found = effects.main("one", y)
    assert found.changes["b",].mean - found.changes["a",].mean == pytest.approx(solution[1], rel=1e-9)
    assert found.changes["c",].mean - found.changes["a",].mean == pytest.approx(solution[2], rel=1e-9)
    gained = left(coded(1, 2)) - left(coded(0, 1, 2))
    assert found.share == pytest.approx(gained / ((y - y.mean()) ** 2).sum(), rel=1e-9)
    with_pairs = np.column_stack(
        [coded(0, 1, 2), *(p * q for p, q in itertools.product(coded(0).T[1:], coded(1).T[1:]))]
        + [p * q for p, q in itertools.product(coded(0).T[1:], coded(2).T[1:])]
        + [p * q for p, q in itertools.product(coded(1).T[1:], coded(2).T[1:])]
    )
    df = len(rows) - with_pairs.shape[1]
    from scipy import stats

    assert found.p_value == pytest.approx(stats.f.sf(gained / 2 / (left(with_pairs) / df), 2, df), rel=1e-6)


def test_a_fraction_names_what_it_cannot_tell_and_invents_nothing() -> None:
    """Half of a 2^3 grid with abc = 1: each main effect stands with the interaction of the other two."""
    cells = [
        cell for cell in grid(position=["none", "rope"], head__tie=[False, True], model__d=[32, 64]) if _sign(cell)
    ]
    assert len(cells) == 4
    effects, notes = found_in(studied(cells, lambda cell: 2.0 + 0.1 * (cell["position"] == "none")))
    assert effects["position",].changes["none",].mean == pytest.approx(0.05, abs=0.002)
    for keys, effect in effects.items():
        if len(keys) == 2:
            assert isinstance(effect.p_value, Missing)
            assert "cannot be told from main effects" in effect.p_value.reason
            assert not effect.changes
    assert any("3 of 3 interactions" in note for note in notes)


def _sign(cell: dict[str, Any]) -> bool:
    signs = [cell["position"] == "rope", cell["head.tie"], cell["model.d"] == 64]
    return sum(signs) % 2 == 1


def test_interactions_that_stand_together_name_each_other() -> None:
    """Half of a 2^4 grid with abcd = 1: pairs of interactions are alike, main effects are clear of them."""
    cells = grid(position=["none", "rope"], head__tie=[False, True], model__d=[32, 64], model__layers=[1, 2])
    half = [cell for cell in cells if (_sign(cell) + (cell["model.layers"] == 2)) % 2]
    effects, _ = found_in(studied(half, lambda cell: 2.0 + 0.1 * (cell["model.layers"] == 2)))
    assert effects["model.layers",].changes[2,].mean == pytest.approx(0.05, abs=0.002)
    one = effects["position", "head.tie"].p_value
    assert isinstance(one, Missing)
    assert "model.d x model.layers" in one.reason


def test_a_level_that_came_with_another_is_left_out_and_the_rest_is_told() -> None:
    """A byte tokenizer has one V alone, so that it cannot be told from that V."""
    cells = [*grid(tokenizer=["bpe", "unigram"], **{"tokenizer.vocab_size": [1024, 4096]})]
    cells.append({"tokenizer": "byte", "tokenizer.vocab_size": 257})
    effects, notes = found_in(studied(cells, lambda cell: 2.0 + 0.1 * (cell["tokenizer"] == "bpe")))
    changes = effects["tokenizer",].changes
    assert {cell[0] for cell in changes} == {"bpe", "unigram"}
    assert changes["bpe",].mean == pytest.approx(0.05, abs=0.002)
    assert any("byte" in note for note in notes)
    crossed = effects["tokenizer", "tokenizer.vocab_size"].p_value
    assert isinstance(crossed, Missing)
    assert "not every combination" in crossed.reason


def test_axes_that_move_together_are_named_and_have_no_numbers() -> None:
    design = Effects(Design({"a": [0, 1, 0, 1], "b": [1, 0, 1, 0], "c": [0, 0, 1, 1]}))
    found = design.main("a", np.array([1.0, 2.0, 1.0, 2.0]))
    assert isinstance(found.p_value, Missing)
    assert found.p_value.reason == "a cannot be told from b in these runs"
    assert not found.changes
    assert found.span == 0
    assert design.main("c", np.array([1.0, 2.0, 1.5, 2.5])).changes[1,].mean == pytest.approx(0.25)


def test_one_run_an_arm_has_means_and_where_nothing_is_left_no_interval() -> None:
    effects, notes = found_in(studied(grid(position=["none", "rope"]), lambda cell: 2.0, seeds=1))
    change = effects["position",].changes["none",]
    assert isinstance(change.low, Missing)
    assert "run more seeds" in change.low.reason
    assert isinstance(effects["position",].p_value, Missing)
    pairs, notes = found_in(
        studied(grid(position=["none", "rope"], head__tie=[True, False], model__d=[32, 64]), lambda cell: 2.0, seeds=1)
    )
    assert not isinstance(pairs["position",].changes["none",].low, Missing)
    assert any("counts as noise" in note for note in notes)


@pytest.mark.parametrize("study", ["whole", "torn"])
def test_intervals_of_level_changes_cover_nineteen_times_in_twenty(study: str) -> None:
    rng = np.random.default_rng(11)
    cells = list(itertools.product(["rope", "alibi", "none"], [False, True], range(3)))
    rows = cells if study == "whole" else [cells[place] for place in rng.permutation(len(cells))[:14]]
    blocks = [row[2] for row in rows] if study == "whole" else None
    effects = Effects(Design({"position": [row[0] for row in rows], "tie": [row[1] for row in rows]}, blocks))
    truth = {"rope": -0.02, "alibi": 0.0, "none": 0.02}
    clean = np.array([2.0 + truth[row[0]] + 0.01 * row[1] for row in rows])
    held = dict.fromkeys([*truth, "tie"], 0)
    for _ in range(STUDIES):
        y = clean + 0.01 * rng.standard_normal(len(rows))
        if blocks is not None:
            y = y + (0.05 * rng.standard_normal(3))[blocks]
        changes = effects.main("position", y).changes
        for level in truth:
            change = changes[level,]
            held[level] += change.low <= truth[level] <= change.high  # type: ignore[operator]
        tie = effects.main("tie", y).changes[True,]
        held["tie"] += tie.low <= 0.005 <= tie.high  # type: ignore[operator]
    assert all(0.93 <= count / STUDIES <= 0.97 for count in held.values()), held


def test_p_values_of_nothing_are_even() -> None:
    """One in twenty below 5 %, for a main effect and an interaction of axes that do nothing."""
    rng = np.random.default_rng(12)
    rows = list(itertools.product([0, 1], [0, 1, 2], range(3)))
    effects = Effects(Design({"a": [r[0] for r in rows], "b": [r[1] for r in rows]}, [r[2] for r in rows]))
    below = np.zeros(2)
    for _ in range(STUDIES // 2):
        y = rng.standard_normal(len(rows))
        below += [effects.main("b", y).p_value <= 0.05, effects.pair(("a", "b"), y).p_value <= 0.05]  # type: ignore[operator]
    assert (np.abs(below / (STUDIES // 2) - 0.05) < 0.02).all(), below
