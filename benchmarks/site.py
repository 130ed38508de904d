"""The results that the README and the site show, from the records alone: `make results`.

A page has a place for each part, between two comments; what stands there is replaced. Nothing else of it is touched.
A part whose records are of an earlier learner begins with a notice that says so. Figures in sentences have places of
their own (`prose.py`), and a page that has any has a place for one notice about all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks import jsonl, prose, steering
from benchmarks.exports.comparison import ENGINES
from benchmarks.paper import conceptrules_tables, tables
from benchmarks.paper.markdown import markdown, signed
from benchmarks.paper.reference import COLUMN, LEARNED, data_names
from benchmarks.paper.results import Results, edges_of, read_results
from benchmarks.sources import Record, notice, read, suite
from benchmarks.speed import report
from benchmarks.tables import scorecards
from benchmarks.tables.comparison import (
    LABELS,
    NONE,
    NUMBERS,
    Group,
    make_groups,
    show_losses,
    show_means,
    show_median,
    show_seconds,
    show_tables,
    show_wins,
)
from benchmarks.tables.scorecards import CARD, PLAIN
from benchmarks.tables.summary import FAST, OURS, Cell, Cells, cells_of
from conceptrules.model.text import plural

ROOT = Path(__file__).parents[1]
PAGES = (
    ROOT / "README.md",
    *(
        ROOT / "docs" / f"{name}.md"
        for name in ("results", "performance", "scale", "steering", "exports", "mllp", "scorecards", "regression")
    ),
)
PLACE = re.compile(r"(<!-- results: (\w+)[^>]*-->\n).*?(<!-- results: end -->)", re.DOTALL)
MODELS = {
    OURS: "`ConceptRuleClassifier`",
    FAST: 'the same, `effort="fast"`',
    CARD: "`ScorecardClassifier`",
    PLAIN: "the same, one column a rule",
    "cart": "decision tree (CART)",
    "cart-20": "the same, 20 leaves",
    "linear": "logistic regression",
    "ebm": "EBM",
    "lightgbm": "LightGBM",
    "forest": "random forest",
}
"""Those of the README: all others are in the tables of the results."""
LOSSES = 5
COMPARED = (OURS, "cart", "ebm", "lightgbm")
BANDS = {"under 1,000": (0, 1_000), "1,000 to 10,000": (1_000, 10_000), "10,000 and more": (10_000, 10**9)}
SPEED = {"startup": "start", "single": "predict", "prediction": "predict a million rows"}


def models() -> str:
    """Return the suite in short: a line for each model."""
    cells = suite()
    rows = [_model_row(cells, model) for model in MODELS if cells_of(cells, model)]
    against = "against LightGBM"
    header = ("model", "macro-F1", against, "AUC", against, "size, median", "columns", "time, median")
    return f"{_scope(cells)}\n\n{markdown(header, rows)}"


def _scope(cells: Cells) -> str:
    incomplete = [model for model in MODELS if 0 < len(cells_of(cells, model)) < len(cells)]
    note = (
        " For a model that was not run on all of them, only its difference from LightGBM on the same tables is shown."
    )
    return f"{len(cells)} public tables, five folds each.{note if incomplete else ''}"


def _model_row(cells: Cells, model: str) -> tuple[str, ...]:
    pairs = cells_of(cells, model, "lightgbm")
    whole = len(pairs) == len(cells)
    return (
        MODELS[model],
        *_compare([(cell.f1, lightgbm.f1) for cell, lightgbm in pairs], model, whole),
        *_compare([(cell.auc, lightgbm.auc) for cell, lightgbm in pairs], model, whole),
        show_median((cell.edges for cell, _ in pairs), LABELS[model].unit) if whole else NONE,
        show_median(cell.columns for cell, _ in pairs) if whole else NONE,
        show_seconds(median(cell.cpu for cell, _ in pairs)) if whole else NONE,
    )


def _compare(scores: Sequence[tuple[float | None, float | None]], model: str, whole: bool) -> tuple[str, str]:
    """Return the mean of a score, and how far it is above LightGBM's."""
    known = [(score, other) for score, other in scores if score is not None and other is not None]
    if not known or (whole and len(known) < len(scores)):
        return NONE, NONE
    difference = signed(mean(score - other for score, other in known))
    average = f"{mean(score for score, _ in known):.1f}" if whole else NONE
    note = "" if whole else f" ({plural(len(known), 'table')})"
    return average, "" if model == "lightgbm" else difference + note


def losses() -> str:
    """Return the tables on which ours are furthest behind the best of all others."""
    return show_losses(groups(), LOSSES)


def comparison() -> str:
    """Return all models by the kind of the tables: scores, sizes and times."""
    return "\n\n".join(show_means(group) for group in groups())


def groups() -> list[Group]:
    return make_groups(read("tables"), read("regression"))


def numbers() -> str:
    """Return the tables with a number to predict, one by one, and what is known of ours only."""
    group = groups()[-1]
    folds: dict[str, list[float]] = {}
    for record in read("regression"):
        if "covered" in record:
            folds.setdefault(record["table"], []).append(record["covered"])
    rows = [
        (
            table,
            show_median([own.size]),
            show_median([own.columns]),
            f"{100 * mean(folds[table]):.0f} %",
            show_seconds(own.cpu),
        )
        for table, own in group.column(NUMBERS).items()
    ]
    scores = show_tables(group, lambda outcome: f"{outcome.score / 100:.3f}")
    own = markdown(("ours", "edges", "columns", "inside intervals of 90 %", "time"), rows)
    return f"{show_wins(group)}\n\n{scores}\n\n{own}"


def sizes() -> str:
    """Return the suite by the number of rows: means of the scores, medians of edges and times."""
    cells = suite()
    rows = []
    for name, (least, most) in BANDS.items():
        band = {table: row for table, row in cells.items() if least <= row[OURS].rows < most}
        if band:
            columns = {model: cells_of(band, model) for model in (OURS, "cart", "lightgbm")}
            scores = [f"{mean(cell.f1 for (cell,) in column):.1f}" for column in columns.values()]
            edges = [f"{median(cell.edges or 0 for (cell,) in columns[model]):,.0f}" for model in (OURS, "cart")]
            times = [show_seconds(median(cell.cpu for (cell,) in columns[model])) for model in (OURS, "lightgbm")]
            rows.append((name, str(len(band)), *scores, *edges, *times))
    header = ("rows", "tables", "conceptrules", "CART", "LightGBM", "edges", "CART's", "time", "LightGBM's")
    return markdown(header, rows)


def every_table() -> str:
    """Return the suite table by table."""
    rows = [
        (
            name,
            f"{row[OURS].rows:,}",
            *(_figure(row.get(model), lambda cell: f"{cell.f1:.1f}") for model in COMPARED),
            *(_figure(row.get(model), lambda cell: f"{cell.edges or 0:,.0f}") for model in (OURS, "cart")),
            *(_figure(row.get(model), lambda cell: f"{cell.cpu:,.2f}") for model in COMPARED),
        )
        for name, row in suite().items()
    ]
    names = ("ours", "CART", "EBM", "LightGBM")
    header = ("table", "rows", *names, "edges: ours", "CART", "seconds: ours", *names[1:])
    return markdown(header, rows)


def _figure(cell: Cell | None, text: Callable[[Cell], str]) -> str:
    return NONE if cell is None else text(cell)


def paper() -> str:
    """Return the verdict on the paper's experiments, and its twelve tables."""
    results = read_results()
    rows = [(data, *_paper_row(results, data)) for data in data_names()]
    again = ("its method, run again", "with a learned priority")
    header = ("table", "the paper's CRS", *again, COLUMN, "edges of CART", f"edges of {COLUMN}")
    verdict = tables.verdict(results).removeprefix("## Verdict\n\n")
    return f"{verdict}\n\n{markdown(header, rows)}"


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
    return _targets(SPEED)


def scale() -> str:
    """Return what fits of large files took, that all ways lead to one model, and how time and memory grow."""
    records = sorted(read("scale"), key=lambda record: (record["what"], record["way"], record["rows"]))
    fits, ways = ([record for record in records if figure in record] for figure in ("cpu_s", "network"))
    rows = [
        (*_fit_columns(record), f"{record['cpu_s']:,.0f}", f"{record['peak_gb']:.2f}", str(record["edges"]))
        for record in fits
    ]
    time_and_memory = markdown(("fit", "from", "rows", "processor seconds", "peak memory, GB", "edges"), rows)
    rows = [(*_fit_columns(record), record["network"], str(record["passes"]), _clock(record)) for record in ways]
    networks = markdown(("fit", "from", "rows", "hash of the model file", "passes", "seconds by the clock"), rows)
    growth = f"An exponent of 1 means that twice the rows take twice the time:\n\n{_targets({'growth': 'grow'})}"
    return f"{time_and_memory}\n\n{networks}\n\n{growth}"


def _fit_columns(record: Record) -> tuple[str, str, str]:
    return record["what"], record["way"], f"{record['rows']:,}"


def _clock(record: Record, figure: str = "seconds") -> str:
    return f"{record[figure]:.0f}" if figure in record else NONE


def scale_disk() -> str:
    """Return what learning from a Parquet file takes, by its rows."""
    records = [
        record for record in read("scale") if (record["what"], record["way"]) == ("ten columns, effort fast", "disk")
    ]
    rows = [
        (
            f"{record['rows']:,}",
            f"{1000 * record['file_gb']:,.0f} MB",
            f"{record['cpu_s']:.0f} s",
            f"{record['peak_gb']:.2f} GB",
        )
        for record in sorted(records, key=lambda record: record["rows"])
    ]
    return markdown(("rows", "file", "processor time", "peak of memory"), rows)


def scale_memory() -> str:
    """Return the time of a fit of a table in memory, by its rows and the effort."""
    seconds = {
        (record["rows"], record["what"].removeprefix("ten columns, effort ")): f"{prose.digits(record['cpu_s'])} s"
        for record in read("scale")
        if record["way"] == "memory" and record["what"].startswith("ten columns, effort ")
    }
    sizes = sorted({rows for rows, _ in seconds})
    efforts = ("fast", "default")
    return markdown(
        ("rows", *efforts),
        [(f"{size:,}", *(seconds.get((size, record), NONE) for record in efforts)) for size in sizes],
    )


def scale_fits() -> str:
    """Return the time of a fit from files with the default effort, by the clock, on a machine of many cores."""
    what = "a whole fit, 14 columns, effort default"
    records = [record for record in read("scale") if record["what"] == what]
    rows = [
        (record["way"], str(record["cores"]), f"{_clock(record)} s", f"{_clock(record, 'search_seconds')} s")
        for record in records
    ]
    return markdown(("with", "cores of the machine", "whole fit", "search"), rows)


def _targets(groups: dict[str, str]) -> str:
    measured = report.read(report.RECORD)
    rows = [
        (f"{title}: {name}" if len(groups) > 1 else name, *figures)
        for group, title in groups.items()
        for name, *figures in map(
            report.row, (measurement for measurement in measured.get(group, ()) if measurement.target is not None)
        )
    ]
    return markdown(("", "measured", "spread", "target", ""), rows)


def speed_tables() -> str:
    """Return all measurements of speed on a CPU."""
    return report.markdown(report.read(report.RECORD)).strip()


def gpu_tables() -> str:
    """Return all measurements of speed on a GPU."""
    return report.markdown(report.read(jsonl.RECORDS / "gpu.jsonl")).strip()


def policies() -> str:
    """Return what policies cost."""
    return steering.page([dict(record) for record in read("steering")])


def exports() -> str:
    """Return how many answers of exports were compared with the model's, and how many differ."""
    engines: dict[str, list[dict[str, int]]] = {}
    for record in read("exports"):
        for engine, cell in record["engines"].items():
            engines.setdefault(engine, []).append(cell)
    rows = [
        (
            name,
            str(len(cells)),
            f"{sum(cell['rows'] for cell in cells):,}",
            f"{sum(cell['mismatches'] for cell in cells):,}",
        )
        for name, cells in engines.items()
    ]
    return markdown(("run in", "models", "rows", "rows that differ from the model"), rows)


def exports_by_network() -> str:
    """Return how many rows differ, by network and engine."""
    rows = [
        (record["data"], f"{record['edges']:,}", *(_differing(record["engines"].get(engine)) for engine in ENGINES))
        for record in sorted(read("exports"), key=lambda record: (record["data"] == "hostile", record["data"]))
    ]
    return markdown(("network", "edges", *ENGINES), rows)


def _differing(cell: dict[str, Any] | None) -> str:
    return "not run" if cell is None or "skipped" in cell else f"{cell['mismatches']} of {cell['rows']:,}"


def exports_size() -> str:
    """Return how fast a large file is scored, and with how much memory."""
    (record,) = read("exports_size")
    count, clock = record["rows"], {name: median(times) for name, times in record["seconds"].items()}
    rows = [
        (name, f"{time:.2f}", f"{count / time:,.0f}", f"{count / median(record['core seconds'][name]):,.0f}")
        for name, time in clock.items()
    ]
    table = markdown(("", "seconds", "rows per second", "rows per second of a core"), rows)
    memory = ", ".join(
        " and ".join(f"{size:.0f} MB at {int(rows):,}" for rows, size in sizes.items()) + f" rows of {KINDS[kind]}"
        for kind, sizes in record["megabytes by rows"].items()
    )
    return (
        f"{count:,} rows of the columns of adult, scored by a network of {record['edges']} edges with "
        f"{record['settings']['threads']} threads: medians of {record['settings']['repeats']} runs. Of all "
        f"predictions, {record['different']:,} differ.\n\n{table}\n\nThe largest resident size of "
        f"`conceptrules predict` on a table and on one ten times as large: {memory}."
    )


def scorecard_goals() -> str:
    """Return what was asked of scorecards, and what they reach."""
    return scorecards.show_goals(read("tables"))


def scorecard_tables() -> str:
    """Return scorecards on every table of the suite."""
    return scorecards.show_tables(read("tables"))


KINDS = {"parquet": "Parquet", "csv": "CSV"}
PARTS: dict[str, tuple[Callable[[], str], tuple[str, ...]]] = {
    "models": (models, ("tables",)),
    "losses": (losses, ("tables", "cards", "numbers")),
    "comparison": (comparison, ("tables", "cards", "numbers")),
    "sizes": (sizes, ("tables",)),
    "every_table": (every_table, ("tables",)),
    "numbers": (numbers, ("numbers",)),
    "scorecard_goals": (scorecard_goals, ("cards",)),
    "scorecard_tables": (scorecard_tables, ("cards",)),
    "paper": (paper, ("paper", "column")),
    "speed": (speed, ("speed",)),
    "speed_tables": (speed_tables, ("speed",)),
    "gpu_tables": (gpu_tables, ("gpu",)),
    "scale": (scale, ("scale", "speed")),
    "scale_disk": (scale_disk, ("scale",)),
    "scale_memory": (scale_memory, ("scale",)),
    "scale_fits": (scale_fits, ("scale",)),
    "policies": (policies, ("steering",)),
    "exports": (exports, ("exports",)),
    "exports_by_network": (exports_by_network, ("exports",)),
    "exports_size": (exports_size, ("exports_size",)),
}
"""What makes each part, and the sources of its records."""
PROSE = "sentences"
"""The place for a notice about the figures in the sentences of a page."""


def fill_page(text: str) -> str:
    """Return a page with each of its places filled from the records."""
    text = prose.fill_figures(text)
    about_sentences = notice(prose.sources(text), "the figures in the text")

    def fill(place: re.Match[str]) -> str:
        if place[2] == PROSE:
            return f"{place[1]}{_marked(about_sentences)}{place[3]}"
        part, sources = PARTS[place[2]]
        return f"{place[1]}{_marked(notice(sources))}{part()}\n{place[3]}"

    return PLACE.sub(fill, text)


def _marked(text: str) -> str:
    return f"*{text}*\n\n" if text else ""


if __name__ == "__main__":
    for page in PAGES:
        jsonl.replace_text(page, fill_page(page.read_text(encoding="utf-8")))
