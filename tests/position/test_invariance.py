"""Measures of a live scheme: what moves with a shift, what a scheme does at all, and how loud its rows are."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rowspace.position.invariance import (
    measure_content_error,
    measure_effect,
    measure_offset_error,
    measure_row_norm_ratio,
)
from rowspace.position.scheme import PositionScheme
from tests.parts import names, option

ROWS = torch.randn(32, 16, generator=torch.Generator().manual_seed(3))


def built(name: str, **changes: Any) -> PositionScheme:
    """d = 16 in two heads."""
    generator = torch.Generator().manual_seed(0)
    return option("position", name, **changes).build(d=16, heads=2, n_ctx=12, generator=generator)


class Stretched(PositionScheme):
    """Scores that grow with position."""

    def rotate(self, x, positions):
        return x * (1 + positions[0, :, None])


@pytest.mark.parametrize("shift", [10, 100_000])
def test_the_offset_error_of_rope_is_rounding_at_every_distance(shift: int):
    assert measure_offset_error(built("rope"), heads=2, d_head=8, shift=shift) < 1e-6


def test_a_scheme_that_is_not_relative_has_a_large_offset_error():
    assert measure_offset_error(Stretched(), heads=2, d_head=8, shift=10) > 0.5


@pytest.mark.parametrize("name", [name for name in names("position") if option("position", name).relative])
def test_scores_of_tokens_moved_together_by_a_thousand_places_stay_where_offsets_alone_count(name: str):
    assert measure_content_error(built(name), ROWS, heads=2) < 2e-6
    assert measure_content_error(built(name).double(), ROWS.double(), heads=2) < 1e-7
    assert measure_content_error(built(name), ROWS, heads=2, dtype=torch.bfloat16) < 0.02


def test_rounding_of_queries_and_keys_is_seen_in_the_type_of_the_run():
    errors = [measure_content_error(built("rope"), ROWS, heads=2, dtype=t) for t in (torch.float32, torch.bfloat16)]
    assert errors[1] > 1000 * errors[0]


def test_scores_of_tokens_moved_together_change_where_places_count():
    assert measure_content_error(built("sinusoidal"), ROWS, heads=2) > 0.5
    assert measure_content_error(built("learned", n_max=1016), ROWS, heads=2) > 0.01
    assert measure_content_error(Stretched(), ROWS, heads=2) > 0.5
    assert measure_content_error(PositionScheme(), ROWS, heads=2) == 0


def test_a_bias_that_depends_on_places_is_part_of_the_content_error():
    class Sloped(PositionScheme):
        def bias(self, queries, keys, like):
            return (queries[:, None, :, None] + keys[:, None, None, :]).to(like)

    assert measure_content_error(Sloped(), ROWS, heads=2) > 100


def test_the_content_error_has_the_unit_of_a_score_whatever_the_rows_are():
    small, large = (measure_content_error(Stretched(), c * ROWS, heads=2) for c in (0.01, 100))
    assert small == pytest.approx(large, rel=1e-4)


def test_only_the_scheme_none_has_no_effect():
    for name in names("position"):
        assert (measure_effect(built(name), d=16, heads=2, n=12) > 0) == (name != "none")


def test_the_ratio_of_row_norms_is_that_of_what_is_added_and_none_where_nothing_is():
    unit = ROWS / ROWS.norm(dim=1, keepdim=True)
    assert measure_row_norm_ratio(built("sinusoidal"), unit, n_ctx=12) == pytest.approx(1 / 8**0.5)
    assert measure_row_norm_ratio(built("sinusoidal"), 4 * unit, n_ctx=12) == pytest.approx(4 / 8**0.5)
    assert measure_row_norm_ratio(built("rope"), unit, n_ctx=12) is None
