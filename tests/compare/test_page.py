"""compare.html as text: the answer first, everything escaped, light, and whole whatever there is to compare."""

import base64
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from rowspace.compare.base import Apart
from rowspace.compare.comparison import compare
from rowspace.compare.page import render, write
from tests.compare.pages import SIX, compared, embedding, runs
from tests.compare.planted import grid
from tests.figures.rows import HOSTILE


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def found(study):
    return compared(study)


@pytest.fixture(scope="module")
def page(found, study) -> str:
    return write(found, study / "compare.html", command=f"rowspace compare {HOSTILE}", read=embedding).read_text()


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page, flags=re.S))


def unpacked(page: str, name: str):
    return json.loads(zlib.decompress(base64.b64decode(re.search(rf'id="{name}">([^<]+)<', page)[1])))


def test_the_page_is_written_whole(page, study):
    assert page.rstrip().endswith("</html>")
    assert not [path for path in study.iterdir() if path.name.startswith(".")]


def test_the_answer_comes_first_and_sections_in_the_order_of_questions(page, found):
    first = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.S)[1]
    assert found.answer.startswith(first.replace("&#39;", "'").rstrip("."))
    names = ["result", "effects", "arms", "frontier", "runs", "parallel", "curves", "geometry", "maps", "near", "apart"]
    places = [page.index(f'id="{name}"') for name in [*names, "provenance"]]
    assert places == sorted(places)
    seen = text_of(page)
    assert re.search(r"Position scheme: rope is best, 0\.(29|30)\d* \(0\.2\d+ to 0\.3\d+\) below none", seen)
    assert re.search(r"Tying: untied is best, 0\.0[34]\d* \(0\.0[23]\d* to 0\.0\d+\) below tied", seen)


def test_every_figure_has_a_title_a_caption_and_words_for_a_screen_reader(page):
    figures = unpacked(page, "figures")
    assert {"effect_0", "effect_1", "standings", "frontier_bytes", "frontier_seconds", "curves", "loss"} <= set(figures)
    assert {"curves_by_0", "geometry_mean_cosine_raw"} <= set(figures)
    for name, figure in figures.items():
        layout = figure["layout"]
        assert len(layout["title"]["text"]) > 15, name
        assert len(layout["meta"]["caption"]) > 80, name
        assert layout["meta"]["alt"], name
        assert "bdata" not in json.dumps(figure), name
    assert all('role="img" aria-label="' in plot for plot in re.findall(r'<div class="plot[^>]*>', page))


def test_text_of_users_and_corpora_is_never_markup(page):
    assert HOSTILE not in page
    assert page.count("hacked") >= 5
    assert "\u202e" not in page
    assert "\x00" not in page
    assert len(re.findall(r"<script\b", page)) == 4
    data = json.dumps(unpacked(page, "data"), ensure_ascii=False)
    assert "hacked" in data
    assert "\u202e" not in data
    figures = json.dumps(unpacked(page, "figures"))
    assert "<script>" not in figures


def test_nothing_is_fetched_and_only_our_scripts_run(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1].replace("&#39;", "'")
    assert "default-src 'none'" in policy
    assert "connect-src" not in policy
    links = re.findall(r'(?:src|href)="(?!#)([^"]*)"', page)
    assert links
    assert all(re.fullmatch(r"run\d{3}-seed\d/report\.html", link) for link in links)


def test_places_and_verdicts_are_words_and_signs(page, found):
    arms = text_of(page[page.index('class="rows sortable arms"') : page.index('id="frontier"')])
    assert "★ 1st" in arms
    assert "☆ 2nd" in arms
    verdicts = {difference.verdict for difference in found.differences}
    assert "worse" in verdicts
    assert arms.count("✗ worse") >= 1


def test_runs_set_apart_stand_there_with_their_reason(page):
    apart = text_of(page[page.index('id="apart"') : page.index('id="provenance"')])
    assert "it failed: &lt;/script&gt;" in apart


def test_maps_lie_on_one_plane_and_say_how_alike_they_are(page):
    data = unpacked(page, "data")["maps"]
    assert len(data["shown"]) == 8
    assert len(data["likeness"]) == 28
    assert min(pair["cosine"] for pair in data["likeness"].values()) > 0.9
    first, second = data["shown"][:2]
    at = dict(zip(second["i"], zip(second["x"], second["y"], strict=True), strict=True))
    moved = [abs(x - at[i][0]) + abs(y - at[i][1]) for i, x, y in zip(first["i"], first["x"], first["y"], strict=True)]
    assert sum(moved) / len(moved) < 0.2


def test_levels_and_names_of_strangers_are_shown_and_do_nothing(tmp_path):
    evil = f"{HOSTILE}\u202e\x00"
    arms = [{"position": evil, "body": "rnn"}, {"position": "rope", "body": evil}]
    told = [replace(run, name=f"{run.name}{evil}") for run in runs(tmp_path, arms, seeds=(0, 1))]
    page = render(compare(told, title=evil), tmp_path / "c.html")
    figures, data = (json.dumps(unpacked(page, name), ensure_ascii=False) for name in ("figures", "data"))
    assert HOSTILE not in page
    assert "<script>" not in figures
    for text in (page, figures, data):
        assert "\u202e" not in text
        assert "\\u0000" not in text
        assert "\x00" not in text
    assert page.count("hacked") > 5


def test_nothing_to_rank_is_said(tmp_path):
    bare = render(compare([], apart=[Apart("a", tmp_path / "a", "it failed: no disk")], title="s"), tmp_path / "c.html")
    seen = text_of(bare)
    assert "Nothing is ranked" in seen
    assert "No run can be ranked, so there are no arms" in seen
    assert "it failed: no disk" in seen


def test_one_run_has_a_page(tmp_path):
    one = compare(runs(tmp_path, SIX[:1], seeds=(0,)), title="one")
    seen = text_of(render(one, tmp_path / "c.html"))
    assert "No effect can be told" in seen
    assert "One arm: nothing to set it beside" in seen
    assert "its best checkpoint is not in its folder" in seen


def test_a_page_of_a_sweep_that_runs_refreshes_itself(tmp_path):
    live = render(compare([]), tmp_path / "c.html", live=True)
    assert 'data-live="yes"' in live
    assert "refreshes by itself" in text_of(live)


def test_blocked_words_are_masked(tmp_path):
    mine = tmp_path / "mine.json"
    mine.write_text('{"words": ["queen"]}')
    found = compared(tmp_path / "study", SIX[:2])
    told = [replace(run, settings={**run.settings, "probes.blocked": str(mine)}) for run in found.ranked]
    page = render(replace(found, ranked=tuple(told)), tmp_path / "c.html", read=embedding)
    data = json.dumps(unpacked(page, "data"), ensure_ascii=False)
    assert "queen" not in data
    assert "␣■■■" in data


def test_five_hundred_runs_make_a_light_page(tmp_path):
    axes = grid(position=["rope", "alibi", "none", "learned"], head__tie=[True, False], model__d=[32, 64, 128])
    arms = [{**arm, "optimizer.lr": rate} for arm in axes for rate in (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064)]
    found = compared(tmp_path, arms, points=40)
    assert len(found.ranked) == 504
    page = render(found, tmp_path / "c.html", read=embedding)
    assert len(page.encode()) < 5_000_000
    assert page.count("<tr data-run=") == 504
    assert 'id="rates"' in page


def test_a_link_leaves_out_what_a_name_smuggles_in(tmp_path: Path):
    odd = tmp_path / 'a"b<c #?%'
    odd.mkdir()
    (odd / "report.html").write_text("")
    [run] = runs(tmp_path, SIX[:1], seeds=(0,))
    found = compare([replace(run, path=odd, name=odd.name)], title="one")
    assert 'href="a%22b%3Cc%20%23%3F%25/report.html"' in render(found, tmp_path / "c.html")
