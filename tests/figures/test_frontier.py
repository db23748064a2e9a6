"""Closure against length: a line a kind, what is open marked by shape, sizes of one length under one label."""

from __future__ import annotations

from rowspace.figures.frontier import draw_frontier
from rowspace.figures.style import GREY

COMMON = {"attention": 0.1, "reason": None}
NONE = {"closed": None, "failed": None, "returned": None, "tokens_per_100_bytes": None, "attention": None}
ROWS = [
    {"tokenizer": "word", "vocab_size": V, "closed": False, "failed": 0.9, "returned": 0.06, **COMMON}
    | {"tokens_per_100_bytes": 18.5}
    for V in (512, 8192)
] + [
    {"tokenizer": "bpe", "vocab_size": 512, "closed": True, "failed": 0.0, "returned": 1.0, **COMMON}
    | {"tokens_per_100_bytes": 49.0},
    {"tokenizer": "bpe", "vocab_size": 8192, "closed": True, "failed": 0.0, "returned": 1.0, **COMMON}
    | {"tokens_per_100_bytes": 26.5},
    {"tokenizer": "bpe", "vocab_size": 99999, "reason": "the text is too short", **NONE},
]


def test_each_kind_has_a_line_from_its_shortest_to_its_longest_and_the_shortest_kind_is_first():
    drawn = draw_frontier(ROWS)
    assert list(drawn.layout.yaxis.ticktext) == ["word", "bpe"]
    lines = [trace for trace in drawn.data if trace.mode == "lines"]
    assert [list(trace.x) for trace in lines] == [[18.5, 18.5], [26.5, 49.0]]
    assert {trace.line.color for trace in lines} == {GREY}


def test_open_and_closed_differ_by_shape_and_sizes_of_one_length_share_a_label():
    closed, opened = [trace for trace in draw_frontier(ROWS).data if trace.mode != "lines"]
    assert closed.marker.symbol != opened.marker.symbol
    assert list(closed.text) == ["512", "8k"]
    assert list(opened.text) == ["", "512 to 8k"]
    assert "99,999" not in draw_frontier(ROWS).to_json()


def test_the_caption_says_what_an_open_one_loses_of_this_text():
    assert "At V=8,192 word gives back 6.0% of the held-out documents." in draw_frontier(ROWS).layout.meta["caption"]
