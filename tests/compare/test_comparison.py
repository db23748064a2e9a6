"""Whole comparisons of planted runs: the planted effect is the answer, and what was not shown is not said."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from rowspace.compare.base import Ran
from rowspace.compare.comparison import column, compare
from rowspace.errors import ConfigError
from rowspace.table import Missing
from tests.compare.planted import grid, ran

STUDIES = 2000


def runs_of(arms: Sequence[dict[str, Any]], value: Any, seeds: int = 3, noise: float = 0.002, **more: Any) -> list[Ran]:
    rng = np.random.default_rng(4)
    return [
        ran({**arm, "seed": seed}, value(arm) + noise * float(rng.standard_normal()), **more)
        for arm in arms
        for seed in range(seeds)
    ]


def test_the_planted_effect_is_the_answer() -> None:
    arms = grid(position=["rope", "alibi", "none"], head__tie=[True, False])
    found = compare(runs_of(arms, lambda arm: 2.0 + 0.1 * (arm["position"] != "alibi") + 0.05 * arm["head.tie"]))
    assert found.question == "Which position scheme and tying gives the lowest bits per byte?"
    assert found.arms[0].levels == {"position": "alibi", "head.tie": False}
    assert re.match(
        r"alibi, untied wins: 2\.00\d+ \(1\.99\d+ to 2\.00\d+\) bits per byte, 0\.04\d+ \(0\.0", found.answer
    )
    first, second, third, last = re.split(r"(?<=\.) (?=[A-Z])", found.answer)
    assert first.endswith("below the next (alibi, tied; 3 pairs of seeds).")
    assert re.match(r"Position scheme matters most: alibi gives 0\.1\d+ \(0\.09\d+ to 0\.1\d+\) bits per byte", second)
    assert re.fullmatch(r"Then tying: untied gives 0\.0\d+ \(0\.0\d+ to 0\.0\d+\) less than tied\.", third)
    assert last == "This speaks of one text (glosses) at this budget (600 steps), and of no other."
    assert len(first) < 150
    assert {one.verdict for one in found.differences} == {"worse"}
    assert [effect.keys for effect in found.effects] == [("position",), ("head.tie",), ("position", "head.tie")]
    assert found.ranked[0].metrics["test/bpb"] == min(run.metrics["test/bpb"] for run in found.ranked)  # type: ignore[type-var]


def test_nothing_shown_is_said_as_such() -> None:
    found = compare(runs_of(grid(position=["rope", "none"]), lambda arm: 2.0))
    assert found.answer.startswith("No arm is shown to be best: ")
    assert "that may be chance" in found.answer
    same = compare(runs_of(grid(position=["rope", "none"]), lambda arm: 2.0), margin=0.05)
    assert "the same within the margin of 0.05: " in same.answer


def test_one_seed_ranks_nothing_and_says_what_to_do() -> None:
    found = compare(runs_of(grid(position=["rope", "none"]), lambda arm: 2.0 + (arm["position"] == "none"), seeds=1))
    assert found.answer.startswith("No arm is shown to be best: rope has the lowest bits per byte, 1.99")
    assert "nothing tells that from chance. Run seeds 0, 1 and 2." in found.answer
    assert isinstance(found.arms[0].result.low, Missing)


def test_a_grid_of_one_seed_is_answered_by_its_main_effects() -> None:
    arms = grid(position=["rope", "none"], head__tie=[True, False], model__d=[64, 128], body=["rnn", "lstm"])

    def value(arm: dict[str, Any]) -> float:
        return 2.0 + 0.1 * (arm["model.d"] == 64) + 0.05 * (arm["position"] == "none")

    found = compare(runs_of(arms, value, seeds=1, noise=0.004))
    first, then, silent, single, _ = re.split(r"(?<=\.) (?=[A-Z])", found.answer)
    assert re.match(r"Width d matters most: 128 gives 0\.\d+ \(0\.\d+ to 0\.\d+\) bits per byte less than 64\.", first)
    assert then.startswith("Then position scheme: rope gives 0.0")
    assert set(re.findall("body|tying", silent)) == {"body", "tying"}
    assert "one seed an arm tells no two arms apart" in single
    gap = found.effects[0].gap
    assert gap is not None
    assert gap.mean == pytest.approx(found.effects[0].span)
    assert f"({gap.low:.3f} to {gap.high:.3f})" in first


def test_each_arm_stands_at_its_own_best_rate_by_validation_and_is_printed_by_test() -> None:
    """untied is better at its own rate, worse at that of tied; test prefers a rate that validation does not."""
    best = {True: 0.002, False: 0.008}
    arms = grid(head__tie=[True, False], optimizer__lr=[0.001, 0.002, 0.004, 0.008])

    def value(arm: dict[str, Any]) -> float:
        return 2.0 + 0.05 * arm["head.tie"] + 0.1 * abs(math.log2(arm["optimizer.lr"] / best[arm["head.tie"]]))

    runs = runs_of(arms, value, noise=0.001)
    tempted = [
        run
        if run.settings["optimizer.lr"] != 0.004
        else ran(run.settings, 1.0, metrics={**run.metrics, "test/bpb": 1.0})
        for run in runs
    ]
    found = compare(tempted)
    assert [(arm.label, arm.chosen["optimizer.lr"]) for arm in found.arms] == [("untied", 0.008), ("tied", 0.002)]
    assert found.arms[0].result.mean == pytest.approx(2.0, abs=0.005)
    edges = {one.arm.label: one.at_edge for one in found.sensitivities}
    assert edges == {"untied": True, "tied": False}
    assert any("1 of 2 arms are best at the edge of their learning rates (untied)" in note for note in found.notes)
    assert list(found.sensitivities[0].values) == [0.001, 0.002, 0.004, 0.008]
    assert "each arm at the best of the learning rates tried" in found.answer
    assert all("optimizer.lr" not in effect.keys for effect in found.effects)


def test_groups_average_the_rest_out_a_seed_at_a_time() -> None:
    arms = grid(position=["rope", "none"], head__tie=[True, False])
    runs = runs_of(arms, lambda arm: 2.0 + 0.05 * (arm["position"] == "none") + 0.5 * arm["head.tie"])
    found = compare(runs, group=["position"])
    assert [arm.label for arm in found.arms] == ["position rope", "position none"]
    assert [arm.result.n for arm in found.arms] == [3, 3]
    (difference,) = found.differences
    assert difference.paired
    assert difference.difference.mean == pytest.approx(0.05, abs=0.01)
    torn = compare([run for run in runs if run.name != "none-False-1"], group=["position"])
    assert torn.arms[1].result.n == 2, "a seed without its partner is left out"
    with pytest.raises(ConfigError, match="positions was given; an axis of these runs; did you mean position"):
        compare(runs, group=["positions"])
    half = grid(position=["rope", "none"], head__tie=[True, False], model__d=[32, 64])
    half = [arm for arm in half if (arm["position"] == "rope") ^ arm["head.tie"] ^ (arm["model.d"] == 64)]
    with pytest.raises(ConfigError, match="no combination of the other axes was run at every level"):
        compare(runs_of(half, lambda arm: 2.0), group=["position"])


def test_a_named_base_a_filter_and_an_order() -> None:
    arms = grid(position=["rope", "alibi", "none"], model__d=[32, 64])
    runs = runs_of(arms, lambda arm: 2.0 + 0.05 * (arm["position"] == "none"))
    found = compare(runs, base=["position=none"], where=["model.d=32"], sort="cost.flops", margin=0.001)
    assert {one.base.label for one in found.differences} == {"position none"}
    assert [one.verdict for one in found.differences] == ["better", "better"]
    assert found.answer.startswith("Against position none, 2.0")
    assert {run.settings["model.d"] for run in found.ranked} == {32}
    assert [run.name for run in found.ranked] == sorted(run.name for run in found.ranked)
    assert column(found.ranked[0], "cost.flops") == 1e12
    for wrong, why in (
        ({"base": ["position=none"]}, "names 2 arms"),
        ({"base": ["position=x"]}, "names 0 arms"),
        ({"base": ["model.layers=2"]}, "base: 'model.layers=2' was given"),
        ({"sort": "bpb"}, "sort: 'bpb' was given"),
        ({"metric": "test/bpd"}, "did you mean test/bpb"),
    ):
        with pytest.raises(ConfigError, match=why):
            compare(runs, **wrong)  # type: ignore[arg-type]


def test_a_metric_of_which_more_is_better_and_one_of_which_neither_is() -> None:
    runs = runs_of(grid(position=["rope", "none"]), lambda arm: 2.0)
    rng = np.random.default_rng(0)

    def with_metric(key: str) -> list[Ran]:
        made = {run.name: 0.5 * (run.settings["position"] == "none") + 0.01 * rng.standard_normal() for run in runs}
        return [ran(run.settings, 2.0, metrics={**run.metrics, key: made[run.name]}) for run in runs]

    hits = compare(with_metric("probe/neighbours/hit_rate"), metric="probe/neighbours/hit_rate")
    assert (hits.arms[0].label, hits.better) == ("position none", "higher")
    assert hits.differences[0].verdict == "worse"
    assert re.search(
        r"wins: probe/neighbours/hit_rate 0\.\d+ \(.*\), 0\.\d+ \(0\.\d+ to 0\.\d+\) above the next", hits.answer
    )
    assert "gives the highest probe" in hits.question
    norm = compare(with_metric("geometry/E/row_norm_mean"), metric="geometry/E/row_norm_mean")
    assert (norm.arms[0].label, norm.differences[0].verdict) == ("position rope", "higher")
    assert "rope is lowest: geometry/E/row_norm_mean" in norm.answer
    null = compare(with_metric("geometry/E/mean_cosine_raw/null"), metric="geometry/E/mean_cosine_raw/null")
    assert null.better == "neither"
    assert norm.frontiers == ()


def test_budgets_that_differ_are_arms_and_are_said() -> None:
    runs = runs_of(grid(trainer__max_steps=[300, 600], position=["rope", "none"]), lambda arm: 2.0)
    found = compare(runs)
    assert any("Budgets differ (trainer.max_steps: 300, 600)" in note for note in found.notes)
    assert "at these budgets" in found.answer


def test_nothing_to_rank_is_a_sentence() -> None:
    found = compare([ran({"seed": 0}, 2.0, audit={})])
    assert found.answer == "Nothing is ranked: none of 1 runs can be compared by test/bpb."
    assert (found.arms, found.effects, found.frontiers, found.differences) == ((), (), (), ())
    assert "spread over seeds" in found.question
    alone = compare([ran({"seed": seed}, 2.0 + seed / 100) for seed in range(3)])
    assert alone.answer.startswith("all runs: 2.010 (1.985 to 2.035) bits per byte over 3 seeds")
    assert compare([]).answer.startswith("Nothing is ranked")


def test_apart_runs_keep_the_levels_of_the_axes() -> None:
    runs = runs_of(grid(position=["rope", "none"]), lambda arm: 2.0)
    odd = ran({"position": "alibi", "model.d": 999, "seed": 0}, 1.0, text="00")
    (apart,) = compare([*runs, odd]).apart
    assert apart.levels == {"position": "alibi", "seed": 0}


@pytest.mark.slow
def test_intervals_of_whole_comparisons_cover_nineteen_times_in_twenty() -> None:
    """Arms whose seeds pair, arms whose seeds do not, an arm's mean and a main effect, of the same 2,000 studies."""
    rng = np.random.default_rng(8)
    cells = [(tokenizer, tie) for tokenizer in ("bpe", "byte") for tie in (True, False)]
    held = dict.fromkeys(("mean", "paired", "welch", "effect"), 0)
    for _ in range(STUDIES):
        values = 2.0 + 0.02 * rng.standard_normal((4, 4)) + np.array([[0.0], [0.1], [0.2], [0.3]])
        found = compare(
            [
                ran({"tokenizer": tokenizer, "head.tie": tie, "seed": seed}, values[place, seed])
                for place, (tokenizer, tie) in enumerate(cells)
                for seed in range(4)
            ],
            base=["tokenizer=bpe", "head.tie=true"],
        )
        differences = {one.arm.label: one for one in found.differences}
        held["mean"] += _holds(next(arm for arm in found.arms if arm.label == "tokenizer byte, untied").result, 2.3)
        held["paired"] += _holds(differences["tokenizer bpe, untied"].difference, 0.1)
        held["welch"] += _holds(differences["tokenizer byte, tied"].difference, 0.2)
        held["effect"] += _holds(next(e for e in found.effects if e.keys == ("tokenizer",)).changes["bpe",], -0.1)
    assert all(0.93 <= count / STUDIES <= 0.97 for count in held.values()), held


def _holds(found: Any, truth: float) -> bool:
    return found.low <= truth <= found.high
