"""What the README and the site say of the results is what the records say."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import site
from benchmarks.tables.summary import OURS, Cell, Cells


@pytest.mark.parametrize("page", site.PAGES, ids=lambda page: page.name)
def test_a_page_shows_the_records(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert site.PLACE.search(text)
    assert site.filled(text) == text, "the records have changed: run `make results`"


def test_every_part_has_its_place_on_the_site() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in site.PAGES)
    assert {found[2] for found in site.PLACE.finditer(text)} == set(site.PARTS)


def cell(f1: float, edges: float | None = None, cpu: float = 1.0, rows: int = 100) -> Cell:
    return Cell(rows, f1, f1, 0.5, cpu, 1, 0.0, edges, 1.0)


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> Cells:
    made = {
        "one": {OURS: cell(80, 10), "cart": cell(70, 100), "lightgbm": cell(82), "ebm": cell(85, cpu=200)},
        "two": {OURS: cell(60, 20, 2, 5_000), "cart": cell(50, 300), "lightgbm": cell(56, cpu=0.5)},
    }
    monkeypatch.setattr(site, "suite", lambda: made)
    return made


def test_a_model_with_all_tables_has_its_means_and_another_its_difference_on_the_same_tables(suite: Cells) -> None:
    lines = site.models().splitlines()
    assert lines[0].startswith(f"{len(suite)} public tables, five folds each. For a model that was not run on all")
    assert "| conceptrules | 70.0 | +1.00 | 15 | 1.5 s |" in lines
    assert "| decision tree (CART) | 60.0 | −9.00 | 200 | 1.0 s |" in lines  # noqa: RUF001
    assert "| EBM | – | +3.00 (1 table) | – | – |" in lines  # noqa: RUF001
    assert "| LightGBM | 69.0 |  | – | 0.75 s |" in lines  # noqa: RUF001


def test_tables_are_shown_one_by_one_and_by_their_size(suite: Cells) -> None:
    assert "| two | 5,000 | 60.0 | 50.0 | – | 56.0 | 20 | 300 | 2.00 | 1.00 | – | 0.50 |" in site.every_table()  # noqa: RUF001
    assert "| under 1,000 | 1 | 80.0 | 70.0 | 82.0 | 10 | 100 | 1.0 s | 1.0 s |" in site.sizes()
    assert "10,000 and more" not in site.sizes()
    assert len(site.every_table().splitlines()) == 2 + len(suite)
