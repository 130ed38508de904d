"""The results that the README and the site show, from the records alone: `make results`.

A page has a place for each part, between two comments; what stands there is replaced. Nothing else of it is touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks import jsonl
from benchmarks.paper import conceptrules_tables, tables
from benchmarks.paper.markdown import markdown, signed
from benchmarks.paper.reference import COLUMN, LEARNED, data_names
from benchmarks.paper.results import Results, edges_of, read_results
from benchmarks.speed import report
from benchmarks.tables.summary import FAST, OURS, Cell, Cells, cells, of
from conceptrules.model.text import plural

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "results.md")
PLACE = re.compile(r"(<!-- results: (\w+)[^>]*-->\n).*?(<!-- results: end -->)", re.DOTALL)
MODELS = {
    OURS: "conceptrules",
    FAST: 'conceptrules, `effort="fast"`',
    "cart": "decision tree (CART)",
    "ebm": "EBM",
    "lightgbm": "LightGBM",
    "forest": "random forest",
}
COMPARED = (OURS, "cart", "ebm", "lightgbm")
BANDS = {"under 1,000": (0, 1_000), "1,000 to 10,000": (1_000, 10_000), "10,000 and more": (10_000, 10**9)}
SPEED = {"startup": "start", "single": "predict", "prediction": "predict a million rows"}
NONE = "\N{EN DASH}"


def suite() -> Cells:
    """Return the tables of the suite on which ours, CART and LightGBM are all on record."""
    found = cells(jsonl.read(jsonl.RECORDS / "tables.jsonl"))
    return {name: row for name, row in found.items() if {OURS, "cart", "lightgbm"} <= row.keys()}


def models() -> str:
    """Return the suite in short: a line for each model."""
    found = suite()
    rows = [_model(found, model) for model in MODELS if of(found, model)]
    header = ("model", "macro-F1, mean", "against LightGBM", "edges, median", "time of a fit, median")
    return f"{_scope(found)}\n\n{markdown(header, rows)}"


def _scope(found: Cells) -> str:
    few = [model for model in MODELS if 0 < len(of(found, model)) < len(found)]
    only = (
        " For a model that was not run on all of them, only its difference from LightGBM on the same tables is shown."
    )
    return f"{len(found)} public tables, five folds each.{only if few else ''}"


def _model(found: Cells, model: str) -> tuple[str, ...]:
    pairs = of(found, model, "lightgbm")
    whole = len(pairs) == len(found)
    apart = "" if model == "lightgbm" else signed(mean(one.f1 - other.f1 for one, other in pairs))
    edges = [one.edges for one, _ in pairs if one.edges is not None]
    return (
        MODELS[model],
        f"{mean(one.f1 for one, _ in pairs):.1f}" if whole else NONE,
        apart if whole or not apart else f"{apart} ({plural(len(pairs), 'table')})",
        (f"{median(edges):,.0f}" if edges else NONE) if whole else NONE,
        _seconds(median(one.cpu for one, _ in pairs)) if whole else NONE,
    )


def sizes() -> str:
    """Return the suite by the number of rows: means of the scores, medians of edges and times."""
    found = suite()
    rows = []
    for name, (least, most) in BANDS.items():
        chosen = {table: row for table, row in found.items() if least <= row[OURS].rows < most}
        if chosen:
            every = {model: of(chosen, model) for model in (OURS, "cart", "lightgbm")}
            scores = [f"{mean(one.f1 for (one,) in some):.1f}" for some in every.values()]
            edges = [f"{median(one.edges or 0 for (one,) in every[model]):,.0f}" for model in (OURS, "cart")]
            times = [_seconds(median(one.cpu for (one,) in every[model])) for model in (OURS, "lightgbm")]
            rows.append((name, str(len(chosen)), *scores, *edges, *times))
    header = ("rows", "tables", "conceptrules", "CART", "LightGBM", "edges", "CART's", "time", "LightGBM's")
    return markdown(header, rows)


def every_table() -> str:
    """Return the suite table by table."""
    rows = [
        (
            name,
            f"{row[OURS].rows:,}",
            *(_figure(row.get(model), lambda one: f"{one.f1:.1f}") for model in COMPARED),
            *(_figure(row.get(model), lambda one: f"{one.edges or 0:,.0f}") for model in (OURS, "cart")),
            *(_figure(row.get(model), lambda one: f"{one.cpu:,.2f}") for model in COMPARED),
        )
        for name, row in suite().items()
    ]
    names = ("ours", "CART", "EBM", "LightGBM")
    header = ("table", "rows", *names, "edges: ours", "CART", "seconds: ours", *names[1:])
    return markdown(header, rows)


def _figure(cell: Cell | None, text: Callable[[Cell], str]) -> str:
    return NONE if cell is None else text(cell)


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s" if seconds < 100 else f"{seconds:,.0f} s"


def paper() -> str:
    """Return the verdict on the paper's experiments, and its twelve tables."""
    results = read_results()
    rows = [(data, *_paper_row(results, data)) for data in data_names()]
    again = ("its method, run again", "with a learned priority")
    header = ("table", "the paper's CRS", *again, COLUMN, "edges of CART", f"edges of {COLUMN}")
    said = tables.verdict(results).removeprefix("## Verdict\n\n")
    return f"{said}\n\n{markdown(header, rows)}"


def _paper_row(results: Results, data: str) -> Iterator[str]:
    cells = [results.cell(data, model) for model in ("crs", LEARNED)]
    yield f"{cells[0].paper:.2f}"
    for cell in cells:
        yield "not run" if cell.ours is None else f"{cell.ours:.2f}"
    own = conceptrules_tables.score(results, data)
    yield "not run" if own is None else f"{own:.2f}"
    for model, stage in (("cart", "edges"), (COLUMN, "edges")):
        edges = edges_of(results.record(data, model), stage)
        yield NONE if edges is None else f"{edges:,.0f}"


def speed() -> str:
    """Return what a user waits for, beside its targets."""
    return _measured(SPEED)


def scale() -> str:
    """Return what fits of large files took, that all ways lead to one model, and how time and memory grow."""
    every = sorted(jsonl.read(jsonl.RECORDS / "scale.jsonl"), key=lambda one: (one["what"], one["way"], one["rows"]))
    fits, passes, ways = ([one for one in every if figure in one] for figure in ("cpu_s", "same", "network"))
    rows = [
        (
            one["what"],
            one["way"],
            f"{one['rows']:,}",
            f"{one['cpu_s']:,.0f}",
            f"{one['peak_gb']:.2f}",
            str(one["edges"]),
        )
        for one in fits
    ]
    taken = markdown(("fit", "from", "rows", "processor seconds", "peak memory, GB", "edges"), rows)
    passed = markdown(("what", "on", "rows", "seconds"), map(_pass, passes))
    alike = [
        (one["what"], one["way"], f"{one['rows']:,}", one["network"], str(one["passes"]), f"{one.get('seconds', '')}")
        for one in ways
    ]
    same = markdown(("fit", "from", "rows", "hash of the model file", "passes", "seconds by the clock"), alike)
    grows = _measured({"growth": "grow"})
    return (
        f"{taken}\n\n{passed}\n\n{same}\n\nAn exponent of 1 means that twice the rows take twice the time:\n\n{grows}"
    )


def _pass(one: dict[str, Any]) -> tuple[str, ...]:
    """Return the time of a pass over the rows: that of a processor where other work shared it, else by the clock."""
    time = f"{one['cpu']:.2f} of processor time" if "cpu" in one else f"{one['seconds']:.3f} by the clock"
    return one["what"], one["way"], f"{one['rows']:,}", time


def _measured(groups: dict[str, str]) -> str:
    found = report.read(report.RECORD)
    rows = [
        (f"{title}: {name}" if len(groups) > 1 else name, *figures)
        for group, title in groups.items()
        for name, *figures in map(report.row, (one for one in found.get(group, ()) if one.target is not None))
    ]
    return markdown(("", "measured", "spread", "target", ""), rows)


def exports() -> str:
    """Return how many answers of exports were compared with the model's, and how many differ."""
    engines: dict[str, list[dict[str, int]]] = {}
    for entry in jsonl.read(jsonl.RECORDS / "exports.jsonl"):
        for engine, found in entry["engines"].items():
            engines.setdefault(engine, []).append(found)
    rows = [
        (name, str(len(some)), f"{sum(one['rows'] for one in some):,}", f"{sum(one['mismatches'] for one in some):,}")
        for name, some in engines.items()
    ]
    return markdown(("run in", "models", "rows", "rows that differ from the model"), rows)


PARTS: dict[str, Callable[[], str]] = {
    one.__name__: one for one in (models, sizes, every_table, paper, speed, scale, exports)
}


def filled(text: str) -> str:
    """Return a page with each of its places filled from the records."""
    return PLACE.sub(lambda found: f"{found[1]}{PARTS[found[2]]()}\n{found[3]}", text)


if __name__ == "__main__":
    for page in PAGES:
        jsonl.replace_text(page, filled(page.read_text(encoding="utf-8")))
