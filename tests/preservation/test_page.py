"""ladder.html: whole in one file, hostile labels escaped, words masked, figures read back from disk."""

from __future__ import annotations

import json
import re

from rowspace.figures.blocked import read_blocked
from rowspace.preservation import page
from rowspace.preservation.columns import IDENTITY, ORDER, WORDSIM
from tests.preservation.lines import line, recorded, states

HOSTILE = "</script><b>x</b>\u202e{{ 7*7 }}"


def rendered(found, figures=None):
    texts = {page.MATRIX: page.draw(found).to_json()} | (figures or {})
    return page.render(found, read_blocked(None), texts)


def test_the_page_says_what_each_rung_adds_and_whether_it_is_so():
    text = rendered(recorded())
    assert text.startswith("<!doctype html>")
    for said in ("What does each rung preserve?", "What does each rung add?", "something", "not asked", "so here"):
        assert said in text
    assert "Seeing order needs no training: layer1 0.10 before the first step, 0.30 after training" in text
    assert text.count('class="plot"') == 1
    assert not re.search(r'(?:src|href)="https?:', text)


def test_hostile_labels_are_text():
    found = recorded(line("x", IDENTITY, label=HOSTILE, adds=HOSTILE), states(1, last=True, label=f"{HOSTILE}2"))
    found["about"]["command"] = f"rowspace ladder {HOSTILE}"
    text = rendered(found)
    assert "<b>x</b>" not in text
    assert "&lt;b&gt;x&lt;/b&gt;&lt;U+202E&gt;" in text
    assert "49" not in re.findall(r"<h1.*?</h1>", text, re.S)[0]
    assert text.count("</script>") == text.count("<script")


def test_a_cell_that_cannot_exist_says_why():
    text = rendered(recorded(line("x", gone={WORDSIM: "the corpus is synthetic"})))
    assert text.count("the corpus is synthetic") >= 2  # in the matrix, and among the cells of its question


def test_figures_are_read_back_and_damaged_ones_left_out(tmp_path):
    found = recorded()
    (tmp_path / "low_rank.json").write_text(json.dumps({"data": [], "layout": {"title": {"text": "Low rank?"}}}))
    for name, text in (("bad", "{"), ("list", "[]"), ("deep", "[" * 100_000), ("preservation", "{}")):
        (tmp_path / f"{name}.json").write_text(text)
    texts = page.read_figures(tmp_path, found)
    assert set(texts) == {"preservation", "low_rank"}
    assert json.loads(texts["preservation"])["data"]
    assert "Low rank?" in page.render(found, read_blocked(None), texts)


def test_the_order_test_counts_its_zero_as_zero():
    found = recorded(line("x", values={ORDER: 0.0}))
    cell = page._cell(found["lines"][0], next(test for test in found["tests"] if test["key"] == "order"))
    assert (cell["said"], cell["sign"], cell["chance"]) == ("0", "=", "0")
