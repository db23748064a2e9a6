"""A score over training: the run over the grey band of chance, an axis that blows nothing up, no markup."""

from __future__ import annotations

from typing import Any

import pytest

from rowspace.figures.scores import draw_score, find_score_keys
from rowspace.figures.style import BLUE, GREY, GREY_BAND

KEY = "probe/pairs/percentile"


def rows(high: float = 60.0) -> list[dict[str, Any]]:
    return [
        {"trainer/global_step": step, KEY: 50.0 + step, f"{KEY}/null": 50.0}
        | {f"{KEY}/null_low": 40.0, f"{KEY}/null_high": high, "train/loss": 1.0}
        for step in (0, 10, 20)
    ]


def test_the_run_is_blue_over_the_grey_band_of_chance():
    low, high, chance, run = draw_score(rows(), KEY, "Are partners near?", share=False).data
    assert (list(low.y), list(high.y), high.fillcolor) == ([40.0] * 3, [60.0] * 3, GREY_BAND)
    assert (list(chance.y), chance.line.color) == ([50.0] * 3, GREY)
    assert (list(run.y), run.line.color) == ([50.0, 60.0, 70.0], BLUE)


def test_a_question_gets_one_mark_whatever_stands_behind_it():
    for label in ("Are they near? (percentile)", "Are they near?", "Are they near"):
        title = draw_score(rows(), KEY, label, share=False).layout.title.text
        assert title.count("?") == 1
        assert title.startswith("Are they near?")


def test_what_was_asked_is_the_title_and_never_markup():
    layout = draw_score(rows(), KEY, "<b>near</b>?", share=True).layout
    assert layout.title.text == "&lt;b&gt;near&lt;/b&gt;?"
    assert layout.yaxis.tickformat.endswith("%")
    assert layout.meta["caption"].endswith(".")


def test_a_band_of_no_width_is_not_blown_up():
    flat = [{**row, KEY: 0.43, f"{KEY}/null_low": 0.43, f"{KEY}/null_high": 0.43} for row in rows()]
    low, high = draw_score(flat, KEY, "Told?", share=True).layout.yaxis.range
    assert high - low == pytest.approx(0.043)
    assert draw_score([], KEY, "Told?", share=True).data[3].y == ()


def test_a_pass_without_the_number_leaves_a_gap_and_no_error():
    holed = [*rows(), {"trainer/global_step": 30, KEY: None, f"{KEY}/null_low": None}]
    assert list(draw_score(holed, KEY, "Near", share=False).data[3].x) == [0, 10, 20]


def test_scores_are_the_keys_that_carry_an_interval():
    assert find_score_keys(rows()) == [KEY]
    assert find_score_keys([{"train/loss": 1.0}]) == []
