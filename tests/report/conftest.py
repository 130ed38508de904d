"""A headless Chromium, and pages opened in it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import Any

import pytest

HINT = "no Chromium; install it with: sudo apt-get install chromium"
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@dataclass
class Opened:
    """A page, and what it said and asked for while it was open."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def run(self, code: str, argument: Any = None) -> Any:
        return self.page.evaluate(code, argument)


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(HINT)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


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
