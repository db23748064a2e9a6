"""probe.html: sentences, figures and tables of every answer, escaped, in a real browser too."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from rowspace.figures.blocked import MASK, Blocked, hash_word
from rowspace.figures.distance import draw_distances
from rowspace.figures.length import draw_lengths, draw_positions
from rowspace.report.answers import render, write
from tests.browsing import until
from tests.figures.test_distance import rows as distance_rows
from tests.figures.test_length import CURVE, ROWS

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked=1'>"


def answer(probe: str, figures: dict[str, Any], text: str = "A sentence.") -> dict[str, Any]:
    return {
        "probe": probe,
        "question": f"What of {probe}?",
        "sentence": text,
        "reading": f"Reading {text}",
        "notes": [f"Note {text}"],
        "shown": [{"title": f"Table {text}", "head": ["", text], "rows": [[text, "1.5 (+0.2)"]]}],
        "figures": {name: json.loads(figure.to_json()) for name, figure in figures.items()},
        "runs": [{"path": f"outputs/{text}", "weights": "best", "step": 1200, "status": "running"}],
        "settings": {"name": probe, "factors": [1, 2], "word": text},
        "command": f"rowspace probe '{text}'",
    }


def answers(text: str = "A sentence.") -> list[dict[str, Any]]:
    hostile = [{**row, "label": row["label"] + text} for row in ROWS]
    lengths = {"length_apart": draw_lengths(hostile, "apart", "bpb"), "length_positions": draw_positions(CURVE, "bpb")}
    return [
        answer("distance", {"distance": draw_distances(distance_rows("rnn"))}, text),
        answer("length", lengths, text),
    ]


def test_every_answer_has_its_sentence_figures_tables_and_command():
    page = render("run-1234", answers())
    for probe in ("distance", "length"):
        assert f'<section id="{probe}"' in page
        assert f"What of {probe}?" in page
    assert page.count("A sentence.</h1>") == 2
    assert page.count('class="plot"') == 3
    assert "1.5 (+0.2)" in page
    assert "best weights, step 1,200, running" in page
    assert "rowspace probe &#39;A sentence.&#39;" in page


def test_names_of_folders_are_never_markup():
    page = render(HOSTILE, answers(HOSTILE))
    assert HOSTILE not in page
    assert "<img" not in page
    assert page.count("<script") == 3


def test_the_page_is_light_and_asks_for_nothing(tmp_path):
    page = write(tmp_path / "probe.html", "run", answers()).read_text()
    assert len(page) < 6_000_000
    assert "default-src 'none'" in unescape(page)
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_in_a_browser_figures_are_drawn_strangers_run_nothing_and_figures_can_stand_alone(browser, tmp_path: Path):
    long = {"sentence": f"E of {'a-folder-without-a-break/' * 9}", "table": "E", "left_out": [("length", "x" * 90)]}
    file = write(tmp_path / "probe.html", HOSTILE + "y" * 60, [*answers(HOSTILE), foreign(HOSTILE)], long)
    page = browser.new_page(viewport={"width": 400, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    for box in page.query_selector_all(".plot"):
        box.scroll_into_view_if_needed()
    until(page, "[...document.querySelectorAll('.plot')].every((b) => b.querySelector('.main-svg'))")
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.querySelectorAll('main a[href^=http], .plot a').length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    page.goto(f"{file.as_uri()}#length-figures")
    seen = [box.is_visible() for box in page.query_selector_all(".plot")]
    assert seen == [False, False, True, True]
    assert not page.is_visible("nav")
    assert not page.is_visible("h1 >> nth=0")
    assert said == []
    page.close()


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_in_a_browser_no_word_without_a_break_makes_the_page_wider(browser, tmp_path: Path):
    long = "w" * 300
    figure = draw_lengths([{**row, "label": long} for row in ROWS], "apart", "bpb")
    figure.update_layout(title={"text": long}, meta={"caption": long, "alt": long})
    shown = [{"title": long, "head": ["", long], "rows": [[long, "✓ success"], [long, "✗ " + long]]}]
    crafted = {**foreign(long), **answer("pairs", {long: figure}, long), "question": long, "shown": shown}
    crafted |= {"settings": {long: long}, "command": long}
    about = {"sentence": long, "table": long, "left_out": [(long, long)]}
    page = browser.new_page(viewport={"width": 400, "height": 900})
    page.goto(write(tmp_path / "probe.html", long, [crafted], about).as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((fold) => fold.open = true)")
    page.query_selector(".plot").scroll_into_view_if_needed()
    page.wait_for_selector(".plot .main-svg")
    wide = "[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > 400"
    wide += " && !e.closest('.scroll, .plot, pre')).map((e) => e.outerHTML.slice(0, 90))"
    assert page.evaluate(wide) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    page.close()


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("width", [1280, 400])
def test_in_a_browser_a_figure_grows_with_the_rows_of_its_legend(browser, tmp_path: Path, width: int):
    many = [{**row, "label": f"{row['label']} number {n}"} for n in range(6) for row in ROWS]
    figures = {"length_apart": draw_lengths(many, "apart", "bpb")}
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(write(tmp_path / "probe.html", "run", [answer("length", figures)]).as_uri())
    page.query_selector(".plot").scroll_into_view_if_needed()
    until(page, "parseInt(document.querySelector('.plot').style.height) > 300")
    page.wait_for_timeout(300)
    plot, legend, box = (
        page.evaluate(f"document.querySelector({selector!r}).getBoundingClientRect().toJSON()")
        for selector in (".plot .nsewdrag", ".plot .legend .bg", ".plot")
    )
    assert plot["height"] > 170
    assert legend["bottom"] <= plot["top"] + 1
    assert legend["top"] >= box["top"] - 1
    page.close()


def foreign(text: str) -> dict[str, Any]:
    score = {"key": "probe/pairs/percentile", "label": f"near {text}", "value": 80.0, "chance": 50.0, "low": 40.0}
    score |= {"high": 60.0, "n": 29, "asked": 124, "better": "higher", "standing": "learned", "reason": None}
    shown = [{"title": f"of {text}", "head": ["", text], "rows": [[text, "✓ success"], ["b", "✗ failure"]]}]
    return {**answer("pairs", {"pairs": draw_distances(distance_rows("rnn"))}, text), "scores": [score], "shown": shown}


def test_a_table_without_a_run_says_what_was_probed_what_was_not_and_why():
    about = {"sentence": "glove: 400,000 rows of 50 numbers. counts: none.", "table": "vectors of glove"}
    page = render("glove", [foreign("x")], {**about, "left_out": [("length", "a table alone was given")]})
    for said in (
        about["sentence"],
        "Of 1 question put to vectors of glove: 1 better than chance",
        "What was not asked",
    ):
        assert said in page
    assert page.index('id="scores"') < page.index('<section id="pairs"') < page.index("a table alone was given")
    assert "Successes (1)" in page


def test_names_tokens_and_reasons_of_strangers_are_never_markup():
    about = {"sentence": HOSTILE, "table": HOSTILE, "left_out": [(HOSTILE, HOSTILE)]}
    page = render(HOSTILE, [foreign(HOSTILE)], about)
    assert HOSTILE not in page
    assert "<img" not in page
    assert page.count("<script") == 3


def test_blocked_words_are_masked_on_the_page_and_not_in_its_command():
    page = render("run", answers("badword"), blocked=Blocked([hash_word("badword")]))
    exact = re.sub(r"rowspace probe &#39;badword&#39;|\"badword\"", "", page)  # the command, and what was set
    assert page.count("rowspace probe &#39;badword&#39;") == 2
    assert re.findall(r"\bbadword\b", exact) == []
    assert f"Reading {MASK}" in page


def test_of_many_answers_the_tables_are_folded():
    few, many = (render("run", [answer(f"p{n}", {}) for n in range(count)]) for count in (3, 4))
    assert "<summary>In numbers" not in few
    assert many.count("<summary>In numbers") == 4
