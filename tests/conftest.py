"""Settings of all tests."""

from __future__ import annotations

import os
import shutil

import pytest
from hypothesis import settings

import benchmarks  # noqa: F401  # says where the paper's data sets are

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


# Without this, set before SciPy is imported, scikit-learn's check_estimator skips its check of array inputs.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# No time limits: the first call of a kernel compiles it, and machines are busy.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the pages of the documentation, which take longest: at the end one worker would wait for the other."""
    items.sort(key=lambda item: "test_docs.py" not in item.nodeid)


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium, which all tests share: two Playwrights in one process break."""
    sync_api = pytest.importorskip("playwright.sync_api")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(HINT)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()
