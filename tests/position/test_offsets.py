"""Scores by offset and cosines of position rows on live schemes, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from rowspace.position.offsets import find_position_similarity, find_scores_by_offset
from rowspace.table import Missing
from tests.parts import option

D, HEADS, N_CTX = 32, 2, 40
ROWS = torch.randn(50, D, generator=torch.Generator().manual_seed(1))


def found(name: str, rows: torch.Tensor | None = ROWS) -> list[dict[str, Any]]:
    chosen = option("position", name)
    scheme = chosen.build(d=D, heads=HEADS, n_ctx=N_CTX, generator=torch.Generator().manual_seed(0))
    return find_scores_by_offset(chosen, scheme, rows, heads=HEADS, d=D, n_ctx=N_CTX)


def similar(name: str) -> Any:
    chosen = option("position", name)
    scheme = chosen.build(d=D, heads=HEADS, n_ctx=N_CTX, generator=torch.Generator().manual_seed(0))
    return find_position_similarity(chosen, scheme, d=D, n_ctx=N_CTX)


def test_rope_scores_are_sums_of_cosines_at_the_chapters_two_places():
    rows = found("rope")
    assert {row["key"] for row in rows} == {10, 1010}
    assert max(row["moved"] for row in rows) < 1e-4
    k = np.arange(D // HEADS // 2)
    turns = 10000.0 ** (-2 * k / (D // HEADS))
    squares = ROWS.double().unflatten(1, (HEADS, -1, 2)).square().sum(-1).mean((0, 1)).numpy()
    for offset in (0, 1, 17):
        expected = (squares * np.cos(offset * turns)).sum() / squares.sum()
        assert next(r["score"] for r in rows if r["offset"] == offset) == pytest.approx(expected, abs=1e-5)


def test_without_positions_nothing_depends_on_the_offset():
    assert [row["score"] for row in found("none")] == pytest.approx([1.0] * len(found("none")))


@pytest.mark.parametrize("name", ["sinusoidal", "learned"])
@pytest.mark.parametrize("rows", [ROWS, None])
def test_absolute_schemes_see_places(name: str, rows: torch.Tensor | None):
    assert max(row["moved"] for row in found(name, rows)) > (1e-4 if rows is not None else 0.1)


def test_a_table_with_few_rows_is_asked_within_them():
    rows = found("learned")
    assert max(row["key"] + row["offset"] for row in rows) < N_CTX
    assert len({row["key"] for row in rows}) == 2


def test_a_width_that_heads_do_not_divide_is_scored_whole():
    chosen = option("position", "sinusoidal")
    scheme = chosen.build(d=10, heads=4, n_ctx=12, generator=torch.Generator())
    assert len(find_scores_by_offset(chosen, scheme, None, heads=4, d=10, n_ctx=12)) == 2 * 65


def test_sinusoidal_rows_depend_on_the_distance_alone():
    cosines = np.array(similar("sinusoidal")["cosines"])
    assert np.allclose(np.diag(cosines), 1)
    for distance in (1, 7, 20):
        assert np.ptp(np.diag(cosines, distance)) < 1e-6
    k = np.arange(D // 2)
    expected = np.cos(10000.0 ** (-2 * k / D)).mean()
    assert similar("sinusoidal")["neighbours"] == pytest.approx(expected, abs=1e-6)


def test_learned_rows_start_at_random():
    cosines = np.array(similar("learned")["cosines"])
    off = cosines[~np.eye(len(cosines), dtype=bool)]
    assert abs(off.mean()) < 0.05
    assert off.std() == pytest.approx(D**-0.5, rel=0.2)


@pytest.mark.parametrize("name", ["rope", "alibi", "none"])
def test_a_scheme_that_adds_nothing_has_no_rows(name: str):
    assert isinstance(similar(name), Missing)
    assert name in similar(name).reason
