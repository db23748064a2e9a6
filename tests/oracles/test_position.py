"""Positions against closed forms in float64 numpy that share no code with ours."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.parts import option


def sinusoid(p: int, d: int) -> np.ndarray:
    """One row, entry by entry from the formula."""
    row = np.empty(d)
    for i in range(d):
        angle = p / 10000 ** ((i - i % 2) / d)
        row[i] = np.sin(angle) if i % 2 == 0 else np.cos(angle)
    return row


def rotation(p: float, d: int) -> np.ndarray:
    """The block-diagonal matrix R_p of RoPE, adjacent pairs."""
    R = np.zeros((d, d))
    for k in range(d // 2):
        angle = p * 10000 ** (-2 * k / d)
        R[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return R


def table(n: int, d: int) -> np.ndarray:
    """Ours, from the live module."""
    scheme = option("position", "sinusoidal").build(d=d, heads=1, n_ctx=n, generator=None).double()
    return scheme.add(torch.zeros(1, n, d, dtype=torch.float64), None)[0].numpy()


def turned(x: list[float], p: int) -> np.ndarray:
    """Ours, x at position p."""
    scheme = option("position", "rope").build(d=len(x), heads=1, n_ctx=p + 1, generator=None).double()
    q = torch.tensor(x, dtype=torch.float64)[None, None, None]
    return scheme.rotate(q, torch.tensor([[p]]))[0, 0, 0].numpy()


def test_sinusoidal_rows_of_width_four():
    expected = {
        0: [0, 1, 0, 1],
        1: [0.841471, 0.540302, 0.00999983, 0.99995],
        2: [0.909297, -0.416147, 0.0199987, 0.9998],
        10: [-0.544021, -0.839072, 0.0998334, 0.995004],
    }
    rows = table(11, 4)
    for p, row in expected.items():
        np.testing.assert_allclose(rows[p], row, atol=1e-6)


@pytest.mark.parametrize("d", [4, 7, 64])
def test_sinusoidal_rows_follow_the_formula(d: int):
    rows = table(50, d)
    for p in (0, 1, 17, 49):
        np.testing.assert_allclose(rows[p], sinusoid(p, d), atol=1e-12)


def test_sinusoidal_products_depend_on_the_offset_only_and_norms_are_equal():
    rows = table(110, 64)
    assert rows[3] @ rows[8] == pytest.approx(23.504, abs=1e-3)
    assert rows[3] @ rows[8] == pytest.approx(rows[103] @ rows[108], abs=1e-12)
    np.testing.assert_allclose((rows**2).sum(1), 32, atol=1e-12)


def test_a_shift_of_sinusoidal_positions_is_one_fixed_rotation():
    rows, d, shift = table(60, 16), 16, 7
    R = np.zeros((d, d))
    for k in range(d // 2):
        angle = shift * 10000 ** (-2 * k / d)
        R[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    np.testing.assert_allclose(rows[:-shift] @ R.T, rows[shift:], atol=1e-12)


@pytest.mark.parametrize(
    ("x", "p", "expected"),
    [
        ([1, 0, 1, 0], 3, [-0.989992, 0.14112, 0.99955, 0.0299955]),
        ([1, 2, 3, 4], 1, [-1.14264, 1.92208, 2.95985, 4.0298]),
    ],
)
def test_rope_turns_adjacent_pairs(x: list[float], p: int, expected: list[float]):
    np.testing.assert_allclose(turned(x, p), expected, rtol=1e-5)


def test_rope_is_the_rotation_matrix_of_the_course():
    x = np.random.default_rng(0).normal(size=16)
    for p in (0, 1, 5, 1000):
        np.testing.assert_allclose(turned(list(x), p), rotation(p, 16) @ x, atol=1e-12)


def test_rope_in_the_half_split_layout_is_the_same_rotation_of_permuted_coordinates():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    halves = [0, 2, 1, 3]  # pair k in half-split layout is (k, k + d/2)
    found = turned(list(x[halves]), 1)[halves]
    np.testing.assert_allclose(found, [-1.98411, 1.9599, 2.46238, 4.0198], rtol=1e-5)


@pytest.mark.parametrize(("m", "n"), [(7, 4), (1007, 1004), (3, 0)])
def test_rope_scores_depend_on_the_offset_only(m: int, n: int):
    assert turned([1, 0, 1, 0], m) @ turned([1, 1, 0, 1], n) == pytest.approx(-0.818877, abs=1e-6)


def test_rope_scores_at_10_and_15_equal_those_at_1010_and_1015():
    generator = np.random.default_rng(0)
    q, k = generator.normal(size=(2, 32))
    near = turned(list(q), 15) @ turned(list(k), 10)
    far = turned(list(q), 1015) @ turned(list(k), 1010)
    assert near == pytest.approx(far, abs=1e-11)
    assert near == pytest.approx(q @ rotation(-5, 32) @ k, abs=1e-11)
