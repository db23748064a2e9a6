"""compare.html in a real browser: it sorts, filters, searches, hovers and switches, and runs no stranger's script."""

from pathlib import Path
from typing import ClassVar

import pytest

from rowspace.compare.page import write
from tests.browsing import Page, until
from tests.compare.pages import compared, embedding
from tests.compare.planted import grid
from tests.figures.rows import HOSTILE
from tests.report.contrast import CONTRAST

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore::ResourceWarning")]

RATES = (0.001, 0.002, 0.004, 0.008)
SHOWN = "[...document.querySelectorAll('#table tbody tr')]"


class Opened(Page):
    """A comparison."""

    drawn: ClassVar = {".plot .main-svg": "visible", "#parallel path.run": "attached"}
    patience = 60_000

    def column(self, place: int) -> list[str]:
        return self.value(f"{SHOWN}.map((row) => row.cells[{place}].textContent)")

    def draw_all(self) -> None:
        for box in self.page.query_selector_all(".plot"):
            box.scroll_into_view_if_needed()
            until(self.page, "(box) => box.querySelector('.main-svg') !== null", box, patience=60_000)


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    """216 runs."""
    axes = grid(position=["rope", "alibi", "none"], head__tie=[True, False], model__d=[32, 64, 128])
    study = tmp_path_factory.mktemp("study")
    arms = [{**arm, "optimizer.lr": rate} for arm in axes for rate in RATES]
    return write(compared(study, arms), study / "compare.html", read=embedding)


@pytest.fixture(scope="module")
def opened(browser, file):
    found = Opened(browser, file)
    yield found
    found.context.close()


@pytest.fixture(autouse=True)
def _cleared(request):
    yield
    if "opened" in request.fixturenames:
        request.getfixturevalue("opened").page.click("#clear")


def test_everything_is_drawn_without_an_error_or_a_request(opened, file):
    opened.draw_all()
    assert opened.said == []
    assert opened.asked == [file.as_uri()]


def test_text_is_text(opened):
    assert opened.value("window.hacked") is None
    assert opened.value("document.querySelectorAll('script').length") == 5  # ours, three packs, and the library
    assert HOSTILE in opened.page.inner_text("#apart").replace("␣", " ")


def test_the_table_sorts_both_ways(opened):
    metric = opened.value(
        "[...document.querySelectorAll('#table thead th')].findIndex((h) => h.textContent == 'test/bpb')"
    )
    head = opened.page.locator("#table thead button").nth(metric)
    head.click()
    up = [float(value) for value in opened.column(metric)]
    assert up == sorted(up)
    assert len(up) == 25
    head.click()
    down = [float(value) for value in opened.column(metric)]
    assert down == sorted(down, reverse=True)
    assert down[0] > up[-1]
    assert opened.value("document.querySelector('#table [aria-sort]').textContent") == "test/bpb"
    head.click()


def test_filters_search_and_range_act_together(opened):
    assert opened.page.inner_text("#count") == "216 of 216 runs"
    opened.page.select_option("#filters select >> nth=0", label="32")
    assert opened.page.inner_text("#count") == "72 of 216 runs"
    assert set(opened.column(1)) == {"32"}
    opened.page.fill("#search", "alibi untied")
    assert opened.page.inner_text("#count") == "12 of 216 runs"
    assert set(opened.column(2)) == {"alibi"}
    opened.page.fill("#to", "0")
    assert opened.page.inner_text("#count") == "0 of 216 runs"
    assert opened.page.locator("#parallel path.run:not(.out)").count() == 0
    opened.page.click("#clear")
    until(opened.page, "document.getElementById('count').textContent.startsWith('216')")


def test_long_tables_turn_pages_and_are_whole_on_paper(opened):
    bar = opened.page.locator("#runs .pager")
    assert "1 to 25 of 216" in bar.inner_text()
    bar.locator("text=Later rows").click()
    assert "26 to 50 of 216" in bar.inner_text()
    opened.value("dispatchEvent(new Event('beforeprint'))")
    assert opened.value(f"{SHOWN}.length") == 216
    opened.value("dispatchEvent(new Event('afterprint'))")
    assert opened.value(f"{SHOWN}.length") == 25


def test_a_line_says_its_run_and_a_level_keeps_its_runs(opened):
    opened.page.locator("#parallel path.hit").last.dispatch_event("pointerenter")
    assert "place 1 of 216" in opened.page.inner_text("#line")
    level = opened.page.locator("#parallel .level[aria-label='keep position scheme none']")
    level.focus()
    opened.page.keyboard.press("Enter")
    assert opened.page.inner_text("#count") == "72 of 216 runs"
    assert opened.page.locator("#parallel path.run:not(.out)").count() == 72
    assert set(opened.column(2)) == {"none"}
    level.press(" ")
    assert opened.page.inner_text("#count") == "216 of 216 runs"


def test_what_does_not_fit_is_dimmed_in_the_figures(opened):
    opened.draw_all()
    points = "document.querySelector('[data-figure=effect_0]').data[1].marker.opacity"
    curves = (
        "document.querySelector('#curves .plot').data.filter((trace) => trace.showlegend).map((one) => one.opacity)"
    )
    assert opened.value(points) == 0.45
    assert set(opened.value(curves)) == {1}
    opened.page.select_option("#filters select[data-axis='1']", label="alibi")
    until(opened.page, f"() => Array.isArray({points})")
    faint = opened.value(points)
    assert (len(faint), sum(one > 0.1 for one in faint)) == (54, 18), "a third of the arms' own runs"
    dimmed = opened.value(curves)
    assert 0 < sum(one == 0.1 for one in dimmed) < len(dimmed)
    standing = "document.querySelector('[data-figure=standings]').data[2]"
    assert any(one < 0.1 for one in opened.value(f"{standing}.marker.opacity"))
    opened.page.click("#clear")
    until(opened.page, f"() => {points} === 0.45")
    assert opened.said == []


def test_a_ticked_arm_stands_out_in_the_curves(opened):
    opened.draw_all()
    plot = "document.querySelector('#curves .plot')"
    before = opened.value(f"{plot}.data.length")
    last = opened.page.locator("table.arms input[type=checkbox]").last
    name = last.get_attribute("aria-label")
    last.check()
    until(opened.page, f"() => {plot}.data.length === {before + 1}")
    drawn = opened.value(f"(({{name, x, line}}) => [name, x.length, line.width])({plot}.data.at(-1))")
    assert all(word in name for word in drawn[0].split(", "))
    assert drawn[1] > 10
    assert opened.value("document.querySelector('#frontier .plot').data.at(-1).name") == drawn[0]
    last.uncheck()
    opened.page.locator("table.arms input[type=checkbox]").first.check()
    until(opened.page, f"() => {plot}.data.some((trace) => trace.line?.width === 5)")
    assert opened.value(f"{plot}.data.length") == before
    opened.page.locator("table.arms input[type=checkbox]").first.uncheck()
    until(opened.page, f"() => !{plot}.data.some((trace) => trace.line?.width === 5)")


def test_dragging_along_the_last_axis_keeps_a_range(opened):
    opened.page.locator("#parallel").scroll_into_view_if_needed()
    box = opened.page.locator("#parallel .brushed").bounding_box()
    opened.page.mouse.move(box["x"] + 5, box["y"] + 2)
    opened.page.mouse.down()
    opened.page.mouse.move(box["x"] + 5, box["y"] + box["height"] / 3)
    opened.page.mouse.up()
    kept = int(opened.page.inner_text("#count").split()[0])
    assert 0 < kept < 216
    top = float(opened.page.input_value("#to"))
    assert all(float(value) <= top for value in opened.column(6))


def test_figures_switch_with_their_titles(opened):
    figure = opened.page.locator("#frontier figure")
    figure.locator("input[value=frontier_seconds]").check()
    until(opened.page, "document.querySelector('#frontier .plot').layout?.xaxis.title.text.startsWith('seconds')")
    assert "seconds" in figure.locator(".plot").get_attribute("aria-label")
    assert "Of this machine" in figure.locator("figcaption").inner_text()
    opened.page.locator("#curves input[value=curves_by_0]").check()
    assert opened.page.inner_text("#curves h4") == "Does width d sort the runs?"


def test_maps_ring_a_token_in_both_runs_and_say_how_alike_they_are(opened):
    opened.draw_all()
    assert "mean cosine of 0.9" in opened.page.inner_text("#alike")
    opened.page.fill("#token", "queen")
    assert opened.page.inner_text("#place") == "␣queen: ringed in both"
    rings = "['left', 'right'].map((side) => document.getElementById(`map-${side}`).data[2].x.length)"
    assert opened.value(rings) == [1, 1]
    opened.page.select_option("#right", "0")
    assert opened.page.inner_text("#alike") == "The same run twice."
    opened.page.fill("#token", "no such")
    assert "no drawn token" in opened.page.inner_text("#place")


def test_a_word_is_looked_up_across_runs(opened):
    assert opened.page.locator("#near-table tbody td").count() == 8
    assert "✓" in opened.page.inner_text("#near-table tbody td >> nth=0")
    opened.page.fill("#word", "</script>")
    assert "8 of 8 runs" in opened.page.inner_text("#near-count")
    opened.page.fill("#word", "nothing here")
    assert opened.page.inner_text("#near-count") == "no run looked this word up"
    assert opened.value("window.hacked") is None


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_text_can_be_read_in_light_and_dark(opened, scheme):
    opened.page.emulate_media(color_scheme=scheme)
    for selector in ("h1", ".answer-more", "#arms .verdict.failure", "figcaption", ".filters label", ".medal"):
        assert opened.page.evaluate(CONTRAST, selector) >= 4.5, selector
    assert opened.said == []


def test_a_small_screen_scrolls_only_downwards(opened):
    opened.page.set_viewport_size({"width": 400, "height": 800})
    until(opened.page, "document.querySelector('#standings, .plot').clientWidth < 400")
    wide = """[...document.querySelectorAll('main *')]
      .filter((n) => !n.closest('.scroll, pre, svg, .plot') && n.getBoundingClientRect().right > 401)
      .map((n) => n.outerHTML.slice(0, 80))"""
    assert opened.value(wide) == []
    assert opened.value("document.documentElement.scrollWidth") == 400
    assert opened.said == []
    opened.page.set_viewport_size({"width": 1200, "height": 900})
