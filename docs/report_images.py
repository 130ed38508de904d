"""Makes the pictures of docs/report.md: short fits, their reports, and a browser's view of them.

    python docs/report_images.py

It needs the paper's data sets ($CONCEPTRULES_DATA) and a Chromium.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import sync_playwright

from conceptrules import ConceptRuleClassifier, ScorecardClassifier, datasets

HERE = Path(__file__).parent / "images"
VIEWS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1200, "height": 900}},
    "dark": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}},
}
# The view of a picture, and what it shows of the page: from the top of one section to that of another.
DECISION = {
    "report-light": ("light", "body", "#try"),
    "report-dark": ("dark", "#try", "#audit"),
    "report-phone": ("phone", "body", "#rules"),
}
CARD = {
    "report-card": ("light", "#card", "#try"),
    "report-card-row": ("dark", "#try", "#audit"),
    "report-card-phone": ("phone", "#card", "#quality"),
}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
COLOURS = 256  # of a picture: half of the size; the rare colours of columns are kept


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        for write, pictures in ((write_card, CARD), (write_decision, DECISION)):
            write(path)
            for name, (view, *part) in pictures.items():
                picture(path, HERE / f"{name}.png", VIEWS[view], part)


def write_decision(path: Path) -> None:
    data = datasets.load("adult")
    rows = np.random.default_rng(0).permutation(len(data.y))
    train, test = np.split(rows, [len(rows) * 7 // 10])
    clf = ConceptRuleClassifier(effort="fast", max_edges=40, random_state=0).fit(data.X.take(train), data.y[train])
    clf.report(data.X.take(test), data.y[test], path, title="Predicting income")


def write_card(path: Path) -> None:
    cells = datasets.load("breast-cancer")
    clf = ScorecardClassifier(max_rule_length=1, max_edges=16, effort="fast", random_state=0)
    clf.fit(cells.X[:400], cells.y[:400]).report(cells.X[400:], cells.y[400:], path, title="Malignant or benign?")


def picture(page_path: Path, path: Path, options: dict[str, Any], part: Sequence[str]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--headless", "--no-sandbox"])
        page = browser.new_context(**options).new_page()
        page.goto(page_path.as_uri())
        if page.query_selector("#counterfactual"):
            page.wait_for_selector("#counterfactual[data-state=done]", state="attached")
        # As high as the page, so that what sticks to the window's edges is where it belongs.
        page.set_viewport_size({**options["viewport"], "height": page.evaluate("document.body.scrollHeight")})
        top, end = (
            page.evaluate("(name) => document.querySelector(name).getBoundingClientRect().top", one) for one in part
        )
        page.screenshot(path=path, clip={"x": 0, "y": top, "width": options["viewport"]["width"], "height": end - top})
        browser.close()
    shrink(path)


def shrink(path: Path, description: str = "") -> None:
    """Keep so many colours of a picture, and write into its file what it shows."""
    texts = PngInfo()
    texts.add_itxt("Description", description)
    with Image.open(path) as image:
        image.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
            path, optimize=True, pnginfo=texts if description else None
        )


if __name__ == "__main__":
    main()
