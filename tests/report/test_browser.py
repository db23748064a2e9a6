"""report.html in a real browser: it draws, answers, fits small screens and runs no stranger's script."""

from pathlib import Path
from typing import ClassVar

import pytest

from rowspace.report.page import Page as RunPage
from tests.browsing import Page, until
from tests.report.contrast import CONTRAST
from tests.report.folders import make

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore::ResourceWarning")]


class Opened(Page):
    """The page of a run."""

    drawn: ClassVar = {"#map .plot .main-svg": "visible", "#detail h4": "visible"}

    def draw_all(self) -> None:
        """Unfold everything and scroll through, so that every figure is drawn; fold it again."""
        folds = "[...document.querySelectorAll('main details')]"
        self.value(f"window.were = {folds}.filter((fold) => fold.open), {folds}.forEach((fold) => fold.open = true)")
        for box in self.page.query_selector_all(".plot"):
            box.scroll_into_view_if_needed()
        drawn = "[...document.querySelectorAll('.plot')].every((b) => b.querySelector('.main-svg'))"
        for _ in range(100):
            if self.value(drawn):
                break
            self.page.wait_for_timeout(100)
        assert self.value(drawn)
        self.value(f"{folds}.forEach((fold) => fold.open = window.were.includes(fold))")


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    return RunPage(make(tmp_path_factory.mktemp("run") / "untied", tables=("E", "U"))).write(live=False)


@pytest.fixture(scope="module")
def light(browser, file):
    opened = Opened(browser, file, color_scheme="light")
    yield opened
    opened.context.close()


def test_all_figures_are_drawn_without_an_error_or_a_request(light, file):
    light.draw_all()
    assert light.said == []
    assert light.asked == [file.as_uri()]


def test_scripts_of_the_corpus_do_not_run(light):
    light.draw_all()
    assert light.value("window.hacked") is None
    assert light.value("document.querySelectorAll('script').length") == 4  # ours, two packs of data, and the library
    assert light.value("document.querySelectorAll('a[href^=http], b:not(.plot b)').length") == 0


def test_the_policy_stops_a_script_that_is_not_ours(light):
    light.value("""{
      const script = document.createElement('script');
      script.textContent = 'window.stranger = 1';
      document.body.append(script);
    }""")
    assert light.value("window.stranger") is None
    light.said.clear()


def test_search_finds_a_token_and_shows_count_and_nearest_five(light):
    light.page.fill("#search", "king")
    assert light.page.inner_text("#found button") == "␣king"
    light.page.press("#search", "Enter")
    assert light.page.inner_text("#detail h4") == "␣king"
    assert "seen 2,500 times" in light.page.inner_text("#detail")
    assert light.page.locator("#detail li button").count() == 5
    light.page.click("#detail li button >> nth=0")
    assert light.page.inner_text("#detail h4") == "␣queen"
    light.page.fill("#search", "no such token")
    assert "no token holds this" in light.page.inner_text("#found")
    light.page.fill("#search", "</script>")
    assert "</script>" in light.page.inner_text("#found button >> nth=0")
    light.page.fill("#search", "")


def test_the_map_switches_to_the_other_table(light):
    light.page.check("input[value=map_U]")
    until(light.page, "document.querySelector('#map .plot').data?.length >= 2")
    assert light.page.inner_text("#map-title") == "What lies near what in U?"
    light.page.check("input[value=map_E]")
    until(light.page, "document.querySelector('#map .plot').data?.length >= 2")


def test_the_keyboard_reaches_sections_search_and_results(light):
    light.page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    reached = []
    for _ in range(30):
        light.page.keyboard.press("Tab")
        reached.append(light.value("document.activeElement.id || document.activeElement.textContent"))
    assert "What E learned" in reached
    assert "search" in reached


def test_long_tables_are_paged_and_whole_on_paper(light):
    light.page.click("text=Every row, with the rule")
    shown = "[...document.querySelectorAll('#neighbours table.rows.paged tbody tr')].filter((r) => !r.hidden).length"
    assert light.value(shown) == 50
    pager = light.page.locator("details[open] .pager")
    pager.locator("text=Later rows").click()
    assert "51 to 100 of 137" in pager.inner_text()
    light.value("dispatchEvent(new Event('beforeprint'))")
    assert light.value(shown) == 137
    light.value("dispatchEvent(new Event('afterprint'))")
    assert light.value(shown) == 50
    light.page.click("text=Every row, with the rule")


def test_folded_parts_open_and_close_with_the_keyboard(light):
    fold = light.page.locator("summary:has-text('Words drawn from every tenth')")
    fold.focus()
    light.page.keyboard.press("Enter")
    assert light.page.is_visible("text=␣word >> nth=0")
    light.page.keyboard.press("Space")
    assert light.page.locator("#neighbours details[open]").count() == 0


def test_the_page_is_bounded_however_many_rows_its_tables_have(light):
    assert light.value("document.documentElement.scrollHeight") < 12_000


def test_a_link_of_the_score_table_opens_its_folded_answer(light):
    fold = "document.getElementById('head').open"
    assert light.value(fold) is False
    light.page.click("table.scores a[href='#head']")
    light.page.wait_for_timeout(200)
    assert light.value(fold) is True
    light.page.locator("#head > summary").focus()
    light.page.keyboard.press("Enter")
    assert light.value(fold) is False


def test_paper_shows_what_is_folded(light):
    light.value("dispatchEvent(new Event('beforeprint'))")
    assert light.value("document.querySelectorAll('main details:not([open])').length") == 0
    light.value("dispatchEvent(new Event('afterprint'))")
    assert light.value("document.querySelectorAll('main details[open]').length") == 0


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_text_can_be_read_in_light_and_dark(light, scheme):
    light.page.emulate_media(color_scheme=scheme)
    light.page.wait_for_timeout(1000)
    for selector in (
        "h1",
        ".story",
        "h1 strong",
        ".badge.good",
        ".badge.bad",
        "figcaption",
        ".near.success .sign",
        ".near.failure .token",
    ):
        assert light.page.evaluate(CONTRAST, selector) >= 4.5, selector
    ink = light.value("getComputedStyle(document.body).color")
    assert light.value("document.querySelector('.plot .xtick text').style.fill") == ink
    assert light.said == []


def test_a_small_screen_scrolls_only_downwards(browser, file):
    opened = Opened(browser, file, viewport={"width": 400, "height": 800})
    opened.draw_all()
    wide = """[...document.querySelectorAll('main *')]
      .filter((n) => !n.closest('.scroll, pre, svg, .plot') && n.getBoundingClientRect().right > 401)
      .map((n) => n.outerHTML.slice(0, 80))"""
    assert opened.value(wide) == []
    assert opened.value("document.documentElement.scrollWidth") == 400
    assert opened.said == []
    opened.context.close()


def test_the_truth_card_and_the_ledger_fit_the_column(light):
    overflow = "[...document.querySelectorAll('.scroll')].filter((b) => b.scrollWidth > b.clientWidth + 1).length"
    assert light.value("document.querySelectorAll('.scroll table.card').length") == 1
    assert light.value(overflow) == 0


def test_on_paper_all_rows_are_there_and_navigation_is_not(light):
    light.page.emulate_media(media="print")
    assert light.value("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert len(light.page.pdf()) > 50_000
    light.page.emulate_media(media="screen")


@pytest.mark.slow
def test_a_page_in_progress_reloads_itself_unless_paused(browser, tmp_path):
    folder = make(tmp_path / "run", status="running")
    file = RunPage(folder).write(live=True)
    file.write_text(file.read_text().replace('data-refresh="15"', 'data-refresh="1"'))
    opened = Opened(browser, file)
    with opened.page.expect_navigation(timeout=20_000):
        pass
    opened.page.wait_for_selector("#pause:visible")
    opened.page.click("#pause")
    assert opened.page.inner_text("#pause") == "Go on"
    opened.context.close()


def test_without_figures_the_page_still_answers(browser, tmp_path):
    (tmp_path / "run.json").write_text('{"status": "failed", "error": "the disk is full"}')
    from rowspace.runfolder import RunFolder

    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(RunPage(RunFolder(tmp_path)).write(live=False).as_uri())
    page.wait_for_timeout(300)
    assert "the disk is full" in page.inner_text("main")
    assert said == []
    page.close()
