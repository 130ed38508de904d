"""Makes the picture of the README and of the site's first page: rules, network and report of a real table.

`make pictures` runs it. It needs a Chromium, as the tests of the report do.
"""

from __future__ import annotations

import html
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from report_images import CHROMIUM, HERE, shrink
from sklearn.model_selection import train_test_split

from conceptrules import ConceptRuleClassifier, datasets

WIDTH, HEIGHT = 1280, 500  # or as high as the rules need
PAGE = """<!doctype html><meta charset="utf-8"><style>
:root {{ color-scheme: light dark; --ground: #fff; --card: #fff; --ink: #1b2430; --line: #c3ccd8; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ground: #0d1117; --card: #151a21; --ink: #e6ebf2; --line: #2b333f; }}
}}
body {{ margin: 0; background: var(--ground); color: var(--ink); font: 13px/1.5 system-ui, sans-serif;
  display: grid; grid-template: auto 340px / 608px 616px; gap: 16px; padding: 20px; box-sizing: border-box; }}
section {{ background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }}
pre {{ margin: 0; padding: 16px 18px; font: 12.5px/1.6 ui-monospace, "DejaVu Sans Mono", monospace; }}
.network {{ padding: 8px; display: grid; align-items: center; }}
.network svg {{ width: 100%; height: auto; max-height: 320px; }}
.rules {{ grid-column: 1 / 3; }}
iframe {{ border: 0; width: 1120px; height: 820px; transform: scale(0.55); transform-origin: 0 0; }}
</style>
<section class="rules"><pre>{rules}</pre></section>
<section class="network">{network}</section>
<section><iframe src="report.html"></iframe></section>
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_path = Path(folder, "page.html")
        rules = write(page_path)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--headless", "--no-sandbox"])
        for theme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=theme, device_scale_factor=1.5
            )
            page = context.new_page()
            page.goto(page_path.as_uri(), wait_until="load")
            page.wait_for_timeout(500)
            path = HERE / f"product-{theme}.png"
            page.screenshot(path=path, full_page=True)
            shrink(path, rules)  # a test compares them with what the README prints
            print(path.name, path.stat().st_size)
        browser.close()


def write(page_path: Path) -> str:
    """Learn what the README learns, write a page with all three views of it, and return the rules."""
    cells = datasets.load("breast-cancer")
    train, test = train_test_split(range(len(cells.y)), random_state=0)
    clf = ConceptRuleClassifier(effort="fast", random_state=0).fit(cells.X.take(train), cells.y[train])
    clf.report(cells.X.take(test), cells.y[test], page_path.with_name("report.html"), title="Is it malignant?")
    rules = str(clf.network_)
    page_path.write_text(PAGE.format(rules=html.escape(rules), network=clf.network_.draw()), encoding="utf-8")
    return rules


if __name__ == "__main__":
    main()
