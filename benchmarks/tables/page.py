"""RESULTS.md: the suite as one page, from the records alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

from benchmarks import digest, jsonl
from benchmarks.paper.markdown import markdown, signed
from benchmarks.tables import plots, scorecards
from benchmarks.tables.summary import FAST, OURS, Cell, Cells, cells_of, goals, summarise

RECORD, FLIGHTS = jsonl.RECORDS / "tables.jsonl", jsonl.RECORDS / "flights.jsonl"
TITLES = {OURS: "ours", FAST: "ours, fast", "cart": "CART", "lightgbm": "LightGBM", "ebm": "EBM", "forest": "forest"}
ABLATIONS = {
    "without-forest": "no mixed rows that a forest labels",
    "nothing-afresh": "no network grown afresh at each penalty",
    "without-trees": "no large network that begins as a tree",
    "best-penalty": "the best penalty, not the usual one within a standard error of it",
}
WORST = 5
INTRODUCTION = """\
Made by `make tables` from `benchmarks/records/tables.jsonl`; `python -m benchmarks.tables` runs what is missing.

{tables} public tables, five stratified folds, everything at its defaults with one thread. Scores are means over the
folds, and over the seeds where ours have several. Times are processor seconds of a fit, divided by those of a LightGBM
fit on the same rows in the same process. The edges of CART are its branches."""


def write_page(records: Path | None = None, out: Path | None = None) -> None:
    """Write RESULTS.md and its two pictures into a folder."""
    folder, entries = out or Path(__file__).parent, jsonl.read(records or RECORD)
    folder.mkdir(parents=True, exist_ok=True)
    cells = summarise(entries)
    plots.draw(cells, TITLES, folder)
    jsonl.replace_text(folder / "RESULTS.md", page(entries, cells))


def page(entries: Iterable[Mapping[str, Any]], cells: Cells) -> str:
    """Return the text of the page."""
    entries = list(entries)
    parts = [
        "# The suite of tables",
        INTRODUCTION.format(tables=len(cells)),
        age(entries),
        "## Goals",
        markdown(
            ("of ours", "target", "measured", ""),
            (
                (f"{goal.kind}: {goal.name}", goal.target, goal.value, goal.state)
                for goal in goals(cells, jsonl.read(FLIGHTS))
            ),
        ),
        "## Means",
        means(cells),
        f"{_fewer(cells)} {_spread(cells)}".strip(),
        "## Macro-F1, table by table",
        "![macro-F1 against LightGBM's, table by table](against_lightgbm.png)",
        by_table(cells, lambda cell: f"{cell.f1:.2f}"),
        *worst(cells),
        "## Edges and times",
        "![macro-F1 against edges](score_and_edges.png)",
        "Edges:",
        by_table(cells, lambda cell: "" if cell.edges is None else f"{cell.edges:.0f}", (OURS, FAST, "cart")),
        "Time of a fit in fits of LightGBM (for LightGBM itself: seconds):",
        by_table(cells, _time),
        *ablations(cells),
        "## Scorecards",
        scorecards.show_goals(entries),
        scorecards.show_tables(entries),
        "## Accuracy",
        by_table(cells, lambda cell: f"{cell.accuracy:.2f}"),
        "## Log loss",
        by_table(cells, lambda cell: f"{cell.log_loss:.3f}"),
        *notes(entries),
        "Versions: " + ", ".join(sorted({" ".join(entry["code"].split()[:2]) for entry in entries})) + ". "
        "Machines: " + "; ".join(sorted({entry["machine"] for entry in entries})) + ".",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def age(entries: Iterable[Mapping[str, Any]]) -> str:
    """Return a notice if records of ours are of an earlier learner; the first of them had another LightGBM as clock."""
    ours = [entry for entry in entries if entry["code"].startswith("conceptrules ")]
    notice_text = digest.notice(ours, "our figures")
    timed = any(digest.FIELD not in entry for entry in ours)
    clock = " Their times are those in fits of a LightGBM with `min_child_weight=1`." if timed else ""
    return f"*{notice_text}{clock}*" if notice_text else ""


def by_table(cells: Cells, text: Callable[[Cell], str], models: Iterable[str] = TITLES) -> str:
    """Return a table with a line for each table and a column for each model that has records."""
    shown = [model for model in models if cells_of(cells, model)]
    rows = [
        (name, f"{next(iter(row.values())).rows:,}", *(text(row[model]) if model in row else "" for model in shown))
        for name, row in cells.items()
    ]
    return markdown(("table", "rows", *(TITLES[model] for model in shown)), rows)


def means(cells: Cells) -> str:
    """Return the means of each model over its tables, beside LightGBM's and CART's over the same ones."""
    rows = []
    for model, title in TITLES.items():
        alone = [row[0] for row in cells_of(cells, model)]
        if alone:
            edges = [cell.edges for cell in alone if cell.edges is not None]
            ratios = [cell.ratio for cell in alone if cell.ratio is not None]
            rows.append((
                title,
                str(len(alone)),
                f"{mean(cell.f1 for cell in alone):.2f}",
                *(_against(cells, model, other) for other in ("cart", "lightgbm")),
                f"{mean(cell.accuracy for cell in alone):.2f}",
                f"{mean(cell.log_loss for cell in alone):.3f}",
                f"{mean(edges):.0f}" if edges else "",
                f"{median(ratios):.1f}" if ratios else "",
                f"{max(ratios):.1f}" if ratios else "",
            ))  # fmt: skip
    header = ("macro-F1", "against CART", "against LightGBM", "accuracy", "log loss", "edges", "median time", "worst")
    return markdown(("model", "tables", *header), rows)


def worst(cells: Cells) -> list[str]:
    """Return where each model that has edges is furthest below LightGBM."""
    lines = []
    for model in (OURS, FAST, "cart"):
        pairs = {name: row for name, row in cells.items() if model in row and "lightgbm" in row}
        differences = sorted((row[model].f1 - row["lightgbm"].f1, name) for name, row in pairs.items())
        text = ", ".join(f"{name} {signed(points)}" for points, name in differences[:WORST])
        lines += [f"Furthest below LightGBM, {TITLES[model]}: {text}."] if text else []
    return lines


def ablations(cells: Cells) -> list[str]:
    """Return what the default loses without one of its ideas each, on the tables where that was tried."""
    rows = []
    for model, title in ABLATIONS.items():
        pairs = cells_of(cells, model, OURS)
        if pairs:
            differences = [without.f1 - own.f1 for without, own in pairs]
            error = stdev(differences) / len(differences) ** 0.5 if len(differences) > 1 else 0.0
            edges = mean((without.edges or 0) for without, _ in pairs) / mean((own.edges or 1) for _, own in pairs)
            times = median(without.cpu / own.cpu for without, own in pairs)
            score = f"{signed(mean(differences))} ± {error:.2f}"
            rows.append((title, str(len(pairs)), score, f"{edges:.2f}", f"{times:.2f}"))
    if not rows:
        return []
    text = (
        "The default without one of its ideas each: the difference of the mean macro-F1, with its standard error over "
        "the tables, and edges and times in terms of the default's."
    )
    header = ("without", "tables", "macro-F1, points", "edges", "time")
    return ["## What each idea is worth", text, markdown(header, rows)]


def notes(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what failed or was stopped, and is empty above."""
    titles = TITLES | ABLATIONS | scorecards.TITLES
    text = sorted({f"{titles[one['model']]} on {one['table']}: {one['note']}" for one in entries if "note" in one})
    return ["Without a result: " + "; ".join(text) + "."] if text else []


def _against(cells: Cells, model: str, other: str) -> str:
    pairs = cells_of(cells, model, other)
    return signed(mean(one.f1 - two.f1 for one, two in pairs)) if pairs and model != other else ""


def _fewer(cells: Cells) -> str:
    counts = [
        f"{TITLES[model]} on {sum((own.edges or 0) < (cart.edges or 0) for own, cart in pairs)} of {len(pairs)} tables"
        for model in (OURS, FAST)
        if (pairs := cells_of(cells, model, "cart"))
    ]
    return f"Fewer edges than CART: {', '.join(counts)}." if counts else ""


def _spread(cells: Cells) -> str:
    spreads = {model: [cell.spread for (cell,) in cells_of(cells, model) if cell.seeds > 1] for model in (OURS, FAST)}
    text = [
        f"{TITLES[model]} {mean(values):.2f} points on {len(values)} tables, {max(values):.2f} at worst"
        for model, values in spreads.items()
        if values
    ]
    return f"Standard deviation over the seeds: {'; '.join(text)}." if text else ""


def _time(cell: Cell) -> str:
    return "" if cell.ratio is None else f"{cell.cpu:.2f} s" if cell.ratio == 1 else f"{cell.ratio:.1f}"
