"""One-hot beside dense: the cells are the cosines, words without a row say so, and nothing of a word is markup."""

from __future__ import annotations

from rowspace.figures.contrast import draw_contexts, draw_contrast
from rowspace.figures.style import GREY

FOUND = {
    "words": ["cat", "<b>kitten", "car"],
    "cluster": ["cats", "cats", "cars"],
    "policies": ["one piece", "one piece", "skipped: 2 pieces"],
    "cosines": [[1.0, 0.43, None], [0.43, 1.0, None], [None, None, None]],
    "low": -0.1,
    "middle": 0.0,
    "high": 0.2,
}
ONE_HOT = {**FOUND, "cosines": [[float(i == j) for j in range(3)] for i in range(3)], "middle": None}
TABLES = {"one-hot": ONE_HOT, "ppmi": FOUND}
COMPANY = [
    {"context": context, "word": word, "cosine": cosine, "policy": "one piece", "low": -0.1, "middle": 0.0, "high": 0.2}
    for context, word, cosine in (("finance", "loan", 0.5), ("finance", "<i>credit", 0.4), ("river", "shore", 0.1))
]


def test_each_table_has_a_heat_map_of_its_cosines_on_one_scale():
    one_hot, dense = draw_contrast(TABLES).data
    assert [list(row) for row in one_hot.z] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert list(dense.text[0]) == ["1", ".43", ""]
    assert list(dense.z[2]) == [None, None, None]
    assert (one_hot.zmin, one_hot.zmax) == (dense.zmin, dense.zmax) == (-1, 1)
    assert [one_hot.xaxis, dense.xaxis] == ["x", "x2"]


def test_words_without_a_row_are_named_and_chance_is_told():
    caption = draw_contrast(TABLES).layout.meta["caption"]
    assert "Of random pairs of words 95 in 100 lie between -0.10 and 0.20 in ppmi." in caption
    assert "car (skipped: 2 pieces)" in caption


def test_a_word_of_each_sense_has_a_line_and_its_null_is_grey():
    null, own = draw_contexts({"ppmi": COMPANY}).data
    assert list(own.x) == [0.5, 0.4, 0.1]
    assert null.line.color == GREY
    assert list(null.x) == [-0.1, 0.2, None] * 3
    layout = draw_contexts({"ppmi": COMPANY}).layout
    assert layout.yaxis.ticktext[0] == "loan (finance)"
    assert [shape.y0 for shape in layout.shapes] == [1.5]


def test_words_are_never_markup():
    for drawn in (draw_contrast(TABLES), draw_contexts({"<b>": COMPANY})):
        text = drawn.to_json().replace("\\u003c", "<")
        assert "<b>" not in text
        assert "<i>" not in text
