"""What the README and the site say of the results is what the records say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import digest, prose, site, sources
from benchmarks.tables.summary import OURS, Cell, Cells


@pytest.mark.parametrize("page", site.PAGES, ids=lambda page: page.name)
def test_a_page_shows_the_records(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert site.PLACE.search(text)
    assert site.fill_page(text) == text, "the records or the learner have changed: run `make results`"


@pytest.mark.parametrize("page", site.PAGES, ids=lambda page: page.name)
def test_a_page_says_which_figures_are_of_an_earlier_learner(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page as it is committed, of records that are all of another learner, has a notice in every place."""
    text = page.read_text(encoding="utf-8")
    places = [place[2] for place in site.PLACE.finditer(text)]
    assert bool(prose.sources(text)) == (site.PROSE in places)
    monkeypatch.setattr(digest, "current", lambda: {"search": "search other", "mllp": "mllp other"})
    marked = site.fill_page(text)
    assert all("earlier version of the learner" in place[0] for place in site.PLACE.finditer(marked))
    monkeypatch.setattr(digest, "notice", lambda records, what: "")
    assert "earlier version of the learner" not in site.fill_page(text)


def test_every_part_and_every_figure_has_its_place_on_the_site() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in site.PAGES)
    assert {place[2] for place in site.PLACE.finditer(text)} == {*site.PARTS, site.PROSE}
    assert {place[2] for place in prose.PLACE.finditer(text)} == set(prose.FIGURES)
    assert {name.partition(".")[0] for name in prose.FIGURES} <= set(sources.SOURCES)


@pytest.mark.parametrize("page", site.PAGES, ids=lambda page: page.name)
def test_no_line_begins_with_the_comment_of_a_figure(page: Path) -> None:
    """Markdown would end the paragraph there."""
    assert not re.search(r"^\s*(- )?<!-- figure", page.read_text(encoding="utf-8"), re.MULTILINE)


def test_a_figure_of_a_sentence_is_replaced_and_the_rest_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose, "FIGURES", {"tables.fit": lambda: "2.5"})
    text = "It takes <!-- figure: tables.fit -->1.4<!-- /figure --> seconds."
    assert prose.fill_figures(text) == text.replace("1.4", "2.5")
    assert prose.sources(text) == {"tables"}


@pytest.mark.parametrize(
    ("value", "text"), [(0.0641, "0.064"), (7.4, "7.4"), (53.6, "54"), (1234.5, "1,234"), (0, "0")]
)
def test_numbers_have_two_digits_that_matter(value: float, text: str) -> None:
    assert prose.digits(value) == text


def cell(f1: float, edges: float | None = None, cpu: float = 1.0, rows: int = 100, auc: float | None = 90.0) -> Cell:
    return Cell(rows, f1, f1, 0.5, cpu, 1, 0.0, edges, 1.0, auc, columns=3)


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> Cells:
    cells = {
        "one": {OURS: cell(80, 10), "cart": cell(70, 100), "lightgbm": cell(82), "ebm": cell(85, cpu=200, auc=94)},
        "two": {OURS: cell(60, 20, 2, 5_000, 88), "cart": cell(50, 300, auc=None), "lightgbm": cell(56, cpu=0.5)},
    }
    monkeypatch.setattr(site, "suite", lambda: cells)
    return cells


def test_a_model_with_all_tables_has_its_means_and_another_its_difference_on_the_same_tables(suite: Cells) -> None:
    lines = site.models().splitlines()
    assert lines[0].startswith(f"{len(suite)} public tables, five folds each. For a model that was not run on all")
    assert "| `ConceptRuleClassifier` | 70.0 | +1.00 | 89.0 | −1.00 | 15 edges | 3 | 1.5 s |" in lines  # noqa: RUF001
    assert "| decision tree (CART) | 60.0 | −9.00 | – | – | 200 branches | 3 | 1.0 s |" in lines  # noqa: RUF001
    assert "| EBM | – | +3.00 (1 table) | – | +4.00 (1 table) | – | – | – |" in lines  # noqa: RUF001
    assert "| LightGBM | 69.0 |  | 90.0 |  | – | 3 | 0.75 s |" in lines  # noqa: RUF001


def test_tables_are_shown_one_by_one_and_by_their_size(suite: Cells) -> None:
    assert "| two | 5,000 | 60.0 | 50.0 | – | 56.0 | 20 | 300 | 2.00 | 1.00 | – | 0.50 |" in site.every_table()  # noqa: RUF001
    assert "| under 1,000 | 1 | 80.0 | 70.0 | 82.0 | 10 | 100 | 1.0 s | 1.0 s |" in site.sizes()
    assert "10,000 and more" not in site.sizes()
    assert len(site.every_table().splitlines()) == 2 + len(suite)
