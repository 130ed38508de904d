"""Pages opened in a headless Chromium."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest


@dataclass
class Opened:
    """A page, and what it said and asked for while it was open."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def run(self, code: str, argument: Any = None) -> Any:
        return self.page.evaluate(code, argument)


@pytest.fixture
def open_page(browser, tmp_path):
    """Opens HTML from a file, as a mail attachment would be; any complaint or request of the page fails the test."""
    opened: list[Opened] = []

    def opening(html: str, **options: Any) -> Opened:
        path = tmp_path / f"report{len(opened)}.html"
        path.write_text(html, encoding="utf-8")
        page = browser.new_context(**options).new_page()
        one = Opened(page)
        opened.append(one)
        page.on("console", lambda message: one.errors.append(message.text))
        page.on("pageerror", lambda error: one.errors.append(str(error)))
        page.on("request", lambda request: one.requests.append(request.url))
        page.goto(path.as_uri())
        return one

    yield opening
    for number, one in enumerate(opened):
        one.page.context.close()
        assert one.errors == []
        assert one.requests == [(tmp_path / f"report{number}.html").as_uri()]
