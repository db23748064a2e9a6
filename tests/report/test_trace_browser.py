"""trace.html in a real browser: a position is chosen by hand or keyboard, and the page fits, prints and keeps quiet."""

from pathlib import Path
from typing import Any

import pytest

from rowspace.report.trace import write
from tests.parts import model, shape
from tests.report.contrast import CONTRAST
from tests.report.traced import about, tokenizer, traced

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore::ResourceWarning")]

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2> \x00\u202e it's \u05d0"


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    fitted = tokenizer("char")
    lm = model(fitted.vocab_size, model=shape(n_ctx=200), position="learned")
    return write(tmp_path_factory.mktemp("page") / "trace.html", traced(HOSTILE, fitted, lm=lm), about())


@pytest.fixture
def opened(browser, file):
    context = browser.new_context(viewport={"width": 1200, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.said, page.asked = [], []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_selector('body[data-ready="yes"]')
    yield page
    context.close()


def shown(page: Any) -> list[str]:
    """Positions whose parts can be seen."""
    return page.evaluate(
        "[...new Set([...document.querySelectorAll('[data-at]')].filter((p) => !p.hidden).map((p) => p.dataset.at))]"
    )


def test_it_opens_at_the_most_surprising_piece_without_an_error_or_a_request(opened, file):
    assert opened.said == []
    assert opened.asked == [file.as_uri()]
    assert shown(opened) == [opened.get_attribute("body", "data-first")]
    assert opened.locator(".short:visible").count() == opened.locator(".panel:visible").count() == 1
    assert opened.evaluate("window.hacked") is None


def test_a_click_the_list_the_buttons_and_a_row_choose_a_position(opened):
    opened.click(".strip label >> nth=3")
    assert shown(opened) == ["3"]
    opened.select_option("#position-list", index=5)
    assert shown(opened) == ["5"]
    opened.click("#earlier")
    assert shown(opened) == ["4"]
    assert opened.evaluate("document.querySelector('input[name=at]:checked').value") == "4"
    opened.click("#loss tr[data-row='2']")
    assert shown(opened) == ["2"]
    assert opened.locator("tr.chosen:visible").count() >= 5
    opened.select_option("#position-list", index=0)
    assert opened.is_disabled("#earlier")
    assert opened.is_enabled("#later")


def test_the_keyboard_chooses_a_position_and_reaches_every_step(opened):
    opened.focus("input[name=at]:checked")
    at = int(shown(opened)[0])
    opened.keyboard.press("ArrowLeft")
    assert shown(opened) == [str(at - 1)]
    opened.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    reached = []
    for _ in range(30):
        opened.keyboard.press("Tab")
        reached.append(opened.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert "8 Rows" in reached
    assert "position-list" in reached
    assert "earlier" in reached


def test_the_panel_shows_what_follows_and_what_the_loss_pulls_at(opened):
    opened.click(".strip label >> nth=2")
    hit = opened.inner_text(".panel:visible tr.hit")
    assert "✓ what follows" in hit
    assert "-0." in hit
    assert opened.locator(".panel:visible tr.null").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_small_screen_scrolls_only_downwards(browser, file, scheme):
    page = browser.new_page(viewport={"width": 400, "height": 800}, color_scheme=scheme)
    page.goto(file.as_uri())
    wide = """[...document.querySelectorAll('main *')]
      .filter((n) => !n.closest('.scroll, pre') && n.getBoundingClientRect().right > 401)
      .map((n) => n.outerHTML.slice(0, 80))"""
    assert page.evaluate(wide) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(opened, scheme):
    opened.emulate_media(color_scheme=scheme)
    first = "label:has(input:checked)"  # the strongest colour
    for selector in (
        "h1",
        "h1 strong",
        f"{first} .token",
        f"{first} .bits",
        ".so",
        "tr.chosen th",
        "tr.null th",
        ".hex",
    ):
        assert opened.evaluate(CONTRAST, selector) >= 4.5, selector


def test_on_paper_all_rows_are_there_and_controls_are_not(opened):
    opened.emulate_media(media="print")
    assert not opened.is_visible(".chooser")
    assert not opened.is_visible("nav")
    clipped = "[...document.querySelectorAll('.tall')].filter((b) => b.scrollHeight > b.clientHeight + 1).length"
    assert opened.evaluate(clipped) == 0
    assert len(opened.pdf()) > 30_000


def test_without_scripts_every_position_is_shown(browser, file):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator(".panel:visible").count() == page.locator(".panel").count() > 5
    context.close()
