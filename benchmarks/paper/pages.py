"""All pages and figures, from the records and the accounts alone: the same bytes every time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks import digest
from benchmarks.paper import figures
from benchmarks.paper.conceptrules_tables import conceptrules_page
from benchmarks.paper.reference import COLUMN, OURS, PAST
from benchmarks.paper.reproduction_tables import reproduction_page
from benchmarks.paper.results import Results, read_results
from benchmarks.paper.search_tables import searches_page
from benchmarks.paper.tables import results_page

HERE = Path(__file__).parent


def write_pages(folder: str | Path | None = None, root: Path | None = None) -> list[Path]:
    """Write the pages and the figures into a folder, or beside this file; return the paths of the pages."""
    place = Path(folder) if folder else HERE
    place.mkdir(parents=True, exist_ok=True)
    results = read_results(root) if root else read_results()
    drawn = figures.draw_all(results, place / "figures")
    pages = {
        "RESULTS.md": (results_page(results, drawn), (*OURS, COLUMN), ("fit_times", "rates", "gap")),
        "REPRODUCTION.md": (reproduction_page(results), OURS, ("search",)),
        "SEARCHES.md": (searches_page(results), OURS, ("search", "cut_points")),
        "CONCEPTRULES.md": (conceptrules_page(results), PAST, ()),
    }
    for name, ((introduction, *sections), models, experiments) in pages.items():
        text = text_of([introduction, age(results, models, experiments), *sections])
        (place / name).write_text(text, encoding="utf-8")
    return [place / name for name in pages]


def age(results: Results, models: Sequence[str], experiments: Sequence[str] = ()) -> str:
    """Return a notice if runs of our models, or lines of other experiments, are of an earlier learner."""
    entries = [entry.get("place", entry) for name in experiments for entry in results.entries(name)]
    text = digest.notice([*results.places(models), *entries], "the figures of our own columns")
    return f"*{text}*" if text else ""


def text_of(sections: list[str]) -> str:
    """Return a page out of its sections, without those that have nothing to say."""
    return "\n\n".join(section for section in sections if section) + "\n"
