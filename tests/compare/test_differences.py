"""Differences of arms: what pairs, which verdicts, and how often all of a study's verdicts are right together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from rowspace.compare.arms import make_arms
from rowspace.compare.axes import find_axes
from rowspace.compare.base import Arm, Difference, Ran
from rowspace.compare.differences import Better, differences
from rowspace.compare.intervals import interval
from rowspace.table import Missing
from tests.compare.planted import ran

STUDIES = 600


def arms_of(runs: Sequence[Ran]) -> list[Arm]:
    arms = make_arms(runs, find_axes(runs)[0], "test/bpb").arms
    return sorted(arms, key=lambda arm: arm.result.mean)


def against_best(
    runs: Sequence[Ran], margin: float | None = None, better: Better = "lower", named: bool = False
) -> tuple[Difference, ...]:
    arms = arms_of(runs)
    return differences(arms, arms[0], "test/bpb", better=better, margin=margin, named=named)


def two_arms(key: str, levels: Sequence[object], values: Sequence[Sequence[float]]) -> list[Ran]:
    return [
        ran({key: level, "seed": seed}, value)
        for level, own in zip(levels, values, strict=True)
        for seed, value in enumerate(own)
    ]


NEAR = [[2.00, 2.10, 2.20], [2.02, 2.121, 2.219]]


def test_equal_seeds_pair_where_the_order_of_batches_is_the_same() -> None:
    (pairs,) = against_best(two_arms("position", ["rope", "none"], NEAR))
    assert pairs.paired
    assert pairs.difference.mean == pytest.approx(0.02)
    assert pairs.difference.sd == pytest.approx(0.001)
    assert pairs.verdict == "worse"
    (apart,) = against_best(two_arms("tokenizer", ["bpe", "byte"], NEAR))
    assert not apart.paired, "another tokenizer cuts other windows"
    assert apart.verdict == "undecided"
    assert apart.difference.mean == pytest.approx(0.02)
    torn = two_arms("position", ["rope", "none"], [NEAR[0], NEAR[1][:2]])
    assert not against_best(torn)[0].paired


def test_one_seed_an_arm_decides_nothing() -> None:
    (found,) = against_best(two_arms("position", ["rope", "none"], [[2.0], [3.0]]), margin=5.0)
    assert found.verdict == "undecided"
    assert isinstance(found.difference.low, Missing)
    assert found.difference.mean == 1.0


def test_a_margin_that_was_stated_makes_arms_the_same() -> None:
    runs = two_arms("position", ["rope", "none"], NEAR)
    assert against_best(runs, margin=0.05)[0].verdict == "the same"
    assert against_best(runs, margin=0.021)[0].verdict == "worse", "the interval reaches beyond"


@pytest.mark.parametrize(("better", "verdict"), [("lower", "worse"), ("higher", "better"), ("neither", "higher")])
def test_the_metric_says_which_way(better: Better, verdict: str) -> None:
    assert against_best(two_arms("position", ["rope", "none"], NEAR), better=better)[0].verdict == verdict


@pytest.mark.parametrize("named", [True, False])
def test_verdicts_of_a_study_in_which_nothing_matters_are_wrong_in_one_of_twenty_studies(named: bool) -> None:
    rng = np.random.default_rng(5)
    arms = arms_of(two_arms("position", list("abcde"), np.zeros((5, 4)).tolist()))
    wrong = 0
    for _ in range(STUDIES):
        values = rng.normal(2.0, 0.01, (5, 4))
        study = [_with(arm, own) for arm, own in zip(arms, values, strict=True)]
        base = study[0] if named else min(study, key=lambda arm: arm.result.mean)
        found = differences(study, base, "test/bpb", better="lower", margin=None, named=named)
        wrong += any(one.verdict != "undecided" for one in found)
    assert wrong / STUDIES <= 0.07, wrong / STUDIES


def _with(arm: Arm, values: Sequence[float]) -> Arm:
    runs = [replace(run, metrics={"test/bpb": float(value)}) for run, value in zip(arm.runs, values, strict=True)]
    return replace(arm, runs=tuple(runs), result=interval(values))


def test_arms_that_differ_by_the_margin_are_called_the_same_in_one_of_forty_studies() -> None:
    rng = np.random.default_rng(6)
    wrong = 0
    for _ in range(STUDIES):
        values = rng.normal(2.0, 0.01, (2, 3)) + np.array([[0.0], [0.01]])
        study = [_with(arm, own) for arm, own in zip(EDGE, values, strict=True)]
        (found,) = differences(study, study[0], "test/bpb", better="lower", margin=0.01, named=True)
        wrong += found.verdict == "the same"
    assert wrong / STUDIES <= 0.045, wrong / STUDIES


EDGE = arms_of(two_arms("position", ["rope", "none"], NEAR))
