"""A page in a real browser, with all that it said and asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar


def until(page: Any, script: str, arg: Any = None, patience: int = 30_000) -> None:
    """Wait until a script is true on a page. Playwright's own way is eval in the page, which the page's policy forbids
    whenever the first look is too early."""
    for _ in range(patience // 50):
        if page.evaluate(script, arg):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"not true in {patience / 1000:g} s: {script}")


class Page:
    """`page` is Playwright's, opened from disk and drawn as far as the selectors say."""

    drawn: ClassVar[Mapping[str, str]] = {}
    """What has to be there before a test looks: selector -> visible or attached."""
    patience = 30_000
    """Milliseconds that each may take."""

    def __init__(self, browser: Any, file: Path, **context: Any) -> None:
        self.context = browser.new_context(**({"viewport": {"width": 1200, "height": 900}} | context))
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())
        for selector, state in self.drawn.items():
            self.page.wait_for_selector(selector, state=state, timeout=self.patience)

    def value(self, script: str) -> Any:
        return self.page.evaluate(script)
