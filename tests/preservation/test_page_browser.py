"""ladder.html in a real browser: nothing asked for, nothing said, the matrix drawn, readable when narrow and dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from rowspace.figures.blocked import read_blocked
from rowspace.preservation import page
from rowspace.preservation.columns import IDENTITY, ORDER, TESTS
from tests.browsing import Page
from tests.preservation.lines import line, recorded, states
from tests.report.contrast import CONTRAST

pytestmark = pytest.mark.browser


class Ladder(Page):
    """The page with its matrix drawn."""

    drawn: ClassVar[Mapping[str, str]] = {".plot .main-svg": "attached"}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rungs = [line(f"rung{number}", *TESTS[: number % 8], label=f"<b>rung</b> {number}") for number in range(12)]
    found = recorded(*rungs, states(0, IDENTITY), states(1, *TESTS, last=True))
    path = tmp_path_factory.mktemp("ladder") / "ladder.html"
    return page.write(path, found, read_blocked(None), {page.MATRIX: page.draw(found).to_json()})


@pytest.fixture(scope="module")
def opened(browser: Any, file: Path) -> Iterator[Ladder]:
    shown = Ladder(browser, file)
    yield shown
    shown.context.close()


def test_the_page_asks_for_nothing_and_says_nothing(opened: Ladder, file: Path) -> None:
    assert opened.said == []
    assert opened.asked == [file.as_uri()]


def test_the_matrix_has_its_cells_as_text_and_its_labels_as_letters(opened: Ladder) -> None:
    texts = opened.value("[...document.querySelectorAll('.plot .heatmaplayer text')].map((t) => t.textContent)")
    assert sum("✓" in text for text in texts) > 20
    assert opened.value("document.querySelectorAll('.plot .ytick b, .matrix th b').length") == 0
    assert opened.value("document.querySelectorAll('.matrix tbody tr').length") == 14
    assert ORDER.label in opened.value("document.querySelector('.matrix thead').textContent")


def test_a_narrow_dark_page_is_no_wider_than_its_screen_and_keeps_its_contrast(browser: Any, file: Path) -> None:
    Narrow = type("Narrow", (Ladder,), {"drawn": {"table.matrix": "visible"}})
    shown = Narrow(browser, file, viewport={"width": 400, "height": 800}, color_scheme="dark")
    try:
        assert shown.value("document.documentElement.scrollWidth <= innerWidth")
        for selector in (".matrix td.success", ".matrix td.tie", ".expected .place"):
            assert shown.page.evaluate(CONTRAST, selector) >= 4.5
    finally:
        shown.context.close()
