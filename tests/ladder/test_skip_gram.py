"""The mathematics of word2vec against numbers that were worked out by hand, and against differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from rowspace.ladder.base import Rung
from rowspace.ladder.skip_gram import (
    find_keeping,
    find_kept,
    find_noise,
    find_optimum,
    find_pairs,
    find_step,
    measure_shift,
)
from rowspace.table import Missing, TokenTable


def test_pairs_of_a_sentence_are_every_neighbour_both_ways() -> None:
    doctor = ["doctor", "treated", "patient", "hospital"]
    assert find_pairs(range(4), 1) == [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]
    assert [(doctor[a], doctor[b]) for a, b in find_pairs(range(4), 3)][:3] == [
        ("doctor", "treated"),
        ("doctor", "patient"),
        ("doctor", "hospital"),
    ]
    assert [len(find_pairs(range(5), window)) for window in (2, 1)] == [14, 8]


def test_negatives_are_drawn_by_smoothed_counts() -> None:
    assert find_noise(np.array([8, 1, 0]), 0.75) == pytest.approx([0.826293, 0.173707, 0], abs=1e-6)


def test_common_tokens_are_left_out_as_the_program_does_and_not_as_the_paper_says() -> None:
    assert find_keeping(np.array([0.1]), 1e-3) == pytest.approx([0.11])  # the paper: sqrt(t / f) = 0.1
    assert find_keeping(np.array([1e-4]), 1e-3) == pytest.approx([1])
    assert find_keeping(np.array([0.5]), 0) == pytest.approx([1])
    assert find_kept(np.array([9, 1]), 1e-2) == pytest.approx(sum((f * 100) ** 0.5 * 0.01 + 0.01 for f in (0.9, 0.1)))


def test_loss_and_gradients_of_a_step_are_the_hand_written_ones() -> None:
    step = find_step(np.array([1.0, 0]), np.array([0.5, 0.5]), np.array([[-0.5, 1]]))
    assert step.loss == pytest.approx(0.948154, abs=1e-6)
    assert step.of_token == pytest.approx([-0.377541, 0.18877], abs=1e-6)
    assert step.of_context == pytest.approx([-0.377541, 0], abs=1e-6)
    assert step.of_drawn[0] == pytest.approx([0.377541, 0], abs=1e-6)


def test_gradients_of_a_step_are_those_of_small_differences() -> None:
    generator = np.random.default_rng(0)
    parts = [generator.normal(size=3), generator.normal(size=3), generator.normal(size=(4, 3))]
    step = find_step(*parts)
    for part, gradient in zip(parts, (step.of_token, step.of_context, step.of_drawn), strict=True):
        for place in np.ndindex(part.shape):
            kept = part[place]
            ends = []
            for end in (kept + 1e-6, kept - 1e-6):
                part[place] = end
                ends.append(find_step(*parts).loss)
            part[place] = kept
            assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-8)


def test_the_optimum_of_a_cell_is_pmi_less_ln_k() -> None:
    found = find_optimum(10, 100, 50, 1000, 5)
    assert found == pytest.approx(-0.916291, abs=1e-6)

    def loss(product: float) -> float:  # of one cell: 10 real pairs, and 5 x 100 drawn ones of which 50 of 1000 are c
        return 10 * np.logaddexp(0, -product) + 5 * 100 * 50 / 1000 * np.logaddexp(0, product)

    assert minimize_scalar(loss, bounds=(-9, 9), method="bounded", options={"xatol": 1e-9}).x == pytest.approx(
        found, abs=1e-5
    )


def rung(contexts: np.ndarray) -> Rung:
    one = TokenTable(np.eye(3, dtype=np.float32), ["a", "b", "c"])
    return Rung(one, {"contexts": TokenTable(contexts.astype(np.float32), one.tokens)})


def test_a_rung_that_is_pmi_with_a_shift_is_seen_to_be() -> None:
    pmi = np.array([[1.0, -2, 0.5], [-2, 0, 3], [0.5, 3, -np.inf]])
    shifted = np.where(np.isfinite(pmi), pmi - np.log(5), 99)
    found = measure_shift(rung(shifted.T), np.arange(3), pmi, np.ones((3, 3), dtype=bool))
    assert found.pearson == pytest.approx(1)
    assert found.mean_difference == pytest.approx(-np.log(5), abs=1e-6)
    assert found.cells == 8


def test_products_that_cannot_be_compared_are_missing_with_a_reason() -> None:
    nothing = np.zeros((3, 3))
    assert isinstance(measure_shift(rung(nothing), np.arange(3), np.eye(3), np.ones((3, 3), dtype=bool)), Missing)
    bare = Rung(TokenTable(np.eye(3, dtype=np.float32), ["a", "b", "c"]))
    assert "no vectors of contexts" in measure_shift(bare, np.arange(3), np.eye(3), np.ones((3, 3), dtype=bool)).reason
