"""Makes the picture of docs/studio.md: a scorecard in the studio, and what moving a cut would do.

    python docs/studio_picture.py

It needs a Chromium, and the extra `studio`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import sync_playwright
from pyarrow import csv
from report_images import CHROMIUM, HERE, shrink

from conceptrules import ScorecardClassifier, datasets, save


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cells = datasets.load("breast-cancer")
        card = ScorecardClassifier(max_rule_length=1, max_edges=16, effort="fast", random_state=0)
        card.fit(cells.X[:400], cells.y[:400])
        save(replace(card.network_, target="diagnosis"), Path(folder, "model.json"))
        table = cells.X.append_column("diagnosis", [cells.y]).slice(400)
        csv.write_csv(table, Path(folder, "new-cells.csv"))
        program = "from conceptrules.cli import main; main()"
        files = ("model.json", "new-cells.csv")
        command = [sys.executable, "-uc", program, "studio", *files, "--no-browser", "--who", "anna"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
            try:
                take(re.search(r"http://\S+", process.stdout.readline())[0])
            finally:
                process.terminate()


def take(address: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--headless", "--no-sandbox"])
        page = browser.new_context(viewport={"width": 1200, "height": 820}).new_page()
        page.goto(address)
        page.get_by_role("button", name="Change the rule worst radius > 17.4").click()
        page.get_by_role("button", name="Move the cut").first.click()
        cut = page.get_by_label("The new cut of worst radius")
        cut.fill("16.5")
        cut.press("Enter")
        page.get_by_text("Why?").wait_for()
        page.wait_for_timeout(500)
        page.screenshot(path=HERE / "studio.png")
        browser.close()
    shrink(HERE / "studio.png")


if __name__ == "__main__":
    main()
