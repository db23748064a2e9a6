"""One real browser for the tests of this room: Debian's chromium, driven from here, with no network to reach."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium. Where it is not installed the tests skip and say why; in CI that is a failure."""
    if not CHROMIUM.exists():
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail("chromium is not installed: apt-get install chromium")
        pytest.skip("chromium is not installed, so no page was opened: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield opened
        opened.close()
