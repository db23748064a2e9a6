"""Figures of the claims' page: of the run's own scheme and those of the lesson, where the run has something to show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rowspace.claims.base import Asked
from rowspace.claims.drawn import draw
from tests.parts import option
from tests.probing.subjects import ignore


@pytest.fixture(scope="module")
def asked(run: Any, questions: Any) -> Asked:
    return Asked(run, questions, ignore)


def test_a_run_shows_where_its_gradient_stops_and_what_positions_do(asked: Asked) -> None:
    found = draw(asked)
    assert set(found) == {"gradient_stops", "scores_by_offset", "position_rows"}
    shown = " ".join(str(trace.name) for trace in found["scores_by_offset"].data)
    assert all(scheme in shown for scheme in ("rope", "sinusoidal", "learned"))


def test_a_body_that_reads_two_texts_shows_no_way_of_the_gradient(asked: Asked, run: Any, questions: Any) -> None:
    two = run.config.model_copy(update={"body": option("body", "encoder_decoder")})

    found = draw(Asked(replace(run, config=two, cache={}), questions, ignore))
    assert set(found) == {"scores_by_offset", "position_rows"}
