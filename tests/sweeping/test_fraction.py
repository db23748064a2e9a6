"""A fraction of a grid tells main effects apart, evenly, and says how well."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rowspace.errors import ConfigError
from rowspace.sweeping.fraction import Fraction, choose


def grid(*levels: int) -> np.ndarray:
    return np.array(list(product(*map(range, levels))))


def test_the_classical_half_of_a_two_level_grid_is_found() -> None:
    """Eight arms of sixteen can be orthogonal: the half fraction, as good an arm as the whole grid."""
    found = choose(grid(2, 2, 2, 2), 8)
    assert found.efficiency == pytest.approx(1)
    rows = grid(2, 2, 2, 2)[list(found.chosen)] * 2 - 1
    assert np.array_equal(rows.T @ rows, 8 * np.eye(4))


@pytest.mark.parametrize("arms", [14, 24, 48])
def test_levels_come_nearly_equally_often(arms: int) -> None:
    whole = grid(4, 3, 3, 2)
    found = choose(whole, arms)
    assert len(set(found.chosen)) == arms
    assert list(found.chosen) == sorted(found.chosen)
    for axis in range(whole.shape[1]):
        counts = np.bincount(whole[list(found.chosen)][:, axis])
        assert counts.max() - counts.min() <= max(2, arms // 8)
    assert 0.9 < found.efficiency <= 1


def test_the_efficiency_is_that_of_the_definition() -> None:
    """From dummy coding and determinants alone, which share no code with the contrasts."""
    whole = grid(3, 2, 4)
    found = choose(whole, 11)

    def dummies(rows: np.ndarray) -> np.ndarray:
        levels = [np.eye(int(whole[:, axis].max()) + 1)[rows[:, axis]][:, 1:] for axis in range(3)]
        return np.hstack([np.ones((len(rows), 1)), *levels])

    part, every = dummies(whole[list(found.chosen)]), dummies(whole)
    ratio = np.linalg.det(part.T @ part / len(part)) / np.linalg.det(every.T @ every / len(every))
    assert found.efficiency == pytest.approx(ratio ** (1 / part.shape[1]))


def test_effects_planted_in_the_grid_come_back_from_the_fraction() -> None:
    whole = grid(3, 3, 2, 2)
    found = choose(whole, 26)
    assert (0, 1) in found.pairs
    effects = {0: [0.0, 0.3, -0.2], 1: [0.1, 0.0, 0.5], 2: [0.0, -0.4], 3: [0.0, 0.05]}
    together = np.zeros((3, 3))
    together[2, 1] = 0.25
    value = sum(np.array(effects[axis])[whole[:, axis]] for axis in effects) + together[whole[:, 0], whole[:, 1]]
    codes = [np.eye(count)[whole[:, axis]][:, 1:] for axis, count in enumerate((3, 3, 2, 2))]
    pair = (codes[0][:, :, None] * codes[1][:, None, :]).reshape(len(whole), -1)
    design = np.hstack([np.ones((len(whole), 1)), *codes, pair])
    chosen = list(found.chosen)
    fitted = np.linalg.lstsq(design[chosen], value[chosen], rcond=None)[0]
    assert np.allclose(design @ fitted, value)


def test_the_same_arguments_give_the_same_arms() -> None:
    assert choose(grid(4, 3, 3), 15) == choose(grid(4, 3, 3), 15)
    assert choose(grid(4, 3, 3), 15, seed=1).efficiency == pytest.approx(choose(grid(4, 3, 3), 15).efficiency, abs=0.05)


def test_arms_that_cannot_be_run_are_not_missed() -> None:
    """Points left out make some products impossible; what the others can tell is still told."""
    possible = np.array([row for row in grid(3, 3, 2) if not (row[0] == 2 and row[1] > 0)])
    found = choose(possible, 9)
    assert max(found.chosen) < len(possible)
    assert found.efficiency > 0.8


def test_too_few_arms_are_refused_with_the_number_that_would_do() -> None:
    with pytest.raises(ConfigError, match=r"fraction: 7 was given; at least 8 arms"):
        choose(grid(4, 3, 3), 7)
    choose(grid(4, 3, 3), 8)


def test_more_arms_than_there_are_take_all() -> None:
    found = choose(grid(3, 2), 50)
    assert found == Fraction((0, 1, 2, 3, 4, 5), pytest.approx(1.0), ((0, 1),), 1)
    assert found.sentence(6).startswith("fraction: 6 of 6 arms, D-efficiency 100.0%")
