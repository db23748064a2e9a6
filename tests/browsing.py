"""A page in a real browser, with all that it said and asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar


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
