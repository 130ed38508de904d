"""The texts of the folder accounts/: what we make of the figures, by hand, with the figures from the records.

`{crs.wine}` in a text is the score of the model `crs` on wine, `{crs.wine.paper}` the paper's, and
`{crs.wine.published}` that with cut points of all rows. A heading `## wine`
begins what is to be said of that data set, wherever it has to be mentioned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import mean

from benchmarks.paper.records import Record
from benchmarks.paper.reference import COLUMN, data_names, paper_cell
from benchmarks.paper.results import NEAR, Cell, Results, average, edges_of, f1_of, seed_means

FOLDER = Path(__file__).parent / "accounts"
FIELD = re.compile(r"\{([\w-]+)\.([\w-]+)(?:\.(\w+))?\}")
NOT_RUN = "not run"
CLOSE = 1.5
"""Points of difference from which a cell that is near enough is mentioned as well."""


def account(name: str, results: Results) -> str:
    """Return a text of the folder, with its figures."""
    return fill(_text(name), results)


def sections(name: str, results: Results) -> dict[str, str]:
    """Return what a text of the folder says of each data set."""
    parts = re.split(r"^## (.*)\n", _text(name), flags=re.MULTILINE)[1:]
    return {heading: fill(text.strip(), results) for heading, text in zip(parts[::2], parts[1::2], strict=True)}


def fill(text: str, results: Results) -> str:
    """Return a text with the figures that its fields stand for."""
    return FIELD.sub(lambda field: figure(results, field[1], field[2], field[3] or "score"), text)


def figure(results: Results, model: str, data: str, name: str) -> str:
    """Return a figure as it is printed: edges as whole numbers, scores with one digit after the point."""
    if data == "mean":
        cells = [results.cell(each, model) for each in data_names()]
        value = paper_cell("Average", model) if name == "paper" else average(cells)
    elif model in _ENTRIES:
        entry = results.entry(_ENTRIES[model], data=data)
        value = 100 * mean(entry[name.replace("_", " ")]) if entry else None
    elif name == "paper":
        value = paper_cell(data, "crs" if model == COLUMN else model)
    elif name == "published":
        value = results.published_cell(data, model).ours
    else:
        records, read = results.seeds(data, model), _FIGURES[name]
        try:
            value = read(records, data) if records else None
        except KeyError:  # a record that does not say this
            value = None
    return NOT_RUN if value is None else f"{value:,.{0 if 'edges' in name else 1}f}"


_ENTRIES = {"cut-points": "cut_points", "bits": "bit_bounds"}


def _difference(records: list[Record], data: str) -> float:
    model = records[0].run.model
    return mean(seed_means(records)) - paper_cell(data, "crs" if model == COLUMN else model)


def _of_folds(records: list[Record], value: Callable[[Record], list[float]]) -> float:
    return mean(mean(value(record)) for record in records)


def _largest(records: list[Record], figure: str) -> float:
    """Return a figure of the largest network on the Pareto front, the mean of the folds."""
    return mean(max(fold.extra["frontier"], key=lambda point: point["edges"])[figure] for fold in records[0].folds)


_FIGURES: Mapping[str, Callable[[list[Record], str], float | None]] = {
    "score": lambda records, data: mean(seed_means(records)),
    "difference": lambda records, data: abs(_difference(records, data)),
    "common": lambda records, data: mean(seed_means(records, "f1_common")),
    "lowest": lambda records, data: min(seed_means(records)),
    "highest": lambda records, data: max(seed_means(records)),
    "training": lambda records, data: (
        100 * _of_folds(records, lambda record: [fold.extra["training_f1"] for fold in record.folds])
    ),
    "held_out": lambda records, data: (
        100 * _of_folds(records, lambda record: [fold.validation or 0.0 for fold in record.folds])
    ),
    "edges": lambda records, data: edges_of(records[0], "edges"),
    "worst_fold": lambda records, data: min(f1_of(records[0])),
    "largest_score": lambda records, data: 100 * _largest(records, "f1"),
    "largest_edges": lambda records, data: _largest(records, "edges"),
}


def missed_cells(name: str, results: Results) -> str:
    """Return a list of the data sets on which the column CRS misses the paper's cell, or nearly does, and why."""
    why = sections(name, results)
    cells = [cell for data in data_names() if (cell := results.cell(data, "crs")).difference is not None]
    cells.sort(key=lambda cell: cell.difference or 0.0)
    below, above, close = (
        [cell for cell in cells if chosen(cell)]
        for chosen in (
            lambda cell: cell.verdict == "below",
            lambda cell: cell.verdict == "above",
            lambda cell: cell.verdict == "near" and abs(cell.difference) > CLOSE,
        )
    )
    lines = [_line(cell, why) for cell in (*below, *reversed(above))]
    if close:
        lines += ["", f"Just within {NEAR:g} points:", "", *(_line(cell, why) for cell in close)]
    return "\n".join(lines)


def _line(cell: Cell, why: Mapping[str, str]) -> str:
    side = "below" if (cell.difference or 0.0) < 0 else "above"
    reason = " ".join(why.get(cell.data, "").split())
    return f"- **{cell.data}** ({abs(cell.difference or 0.0):.1f} {side}). {reason}".rstrip()


def _text(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()
