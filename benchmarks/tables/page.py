"""RESULTS.md: the suite as one page, from the records alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks import digest, jsonl
from benchmarks.paper.markdown import markdown, signed
from benchmarks.tables import plots, scorecards
from benchmarks.tables.comparison import (
    LABELS,
    MOST_ROWS,
    Group,
    make_groups,
    show_losses,
    show_means,
    show_median,
    show_tables,
)
from benchmarks.tables.scorecards import CARD, PLAIN
from benchmarks.tables.summary import FAST, OURS, Cell, Cells, cells_of, goals, summarise

RECORD, FLIGHTS, NUMBERS = (jsonl.RECORDS / f"{name}.jsonl" for name in ("tables", "flights", "regression"))
LOSSES, WORST = 8, 5
INTRODUCTION = """\
Made by `make tables` from `benchmarks/records/tables.jsonl` and `regression.jsonl`; `python -m benchmarks.tables` and
`python -m benchmarks.regression` run what is missing.

{tables} public tables with classes and {numbers} with a number to predict, five folds, everything at its defaults with
one thread. A fit that takes too long is stopped; the end of the page says which. Scores are means over the folds, and
over the seeds where ours have several. The size of a model is in its own terms: the edges of our networks, the branches
of a tree, the splits of FIGS, the conditions of RuleFit, the rules of boosted rules (each with its opposite), the bins
of optbinning that have rows, coefficients that are not zero, the cells of EBM's curves and surfaces, the leaves of all
trees. Beside it stand the columns of the table that the model asks about."""
GLANCE = """\
The pictures show tables of up to {rows:,} rows, and the models that were run on all of them. Ours are red, other models
that people can read blue, those of many trees grey; the one of ours that is made for the score is bold. A model is as
far up as it is good, and as far to the left as it is small.

![Mean score against size and against columns, for each group of tables](score_and_size.png)

The best model of each table has rank 1. Ranks of models that a bar joins may differ by chance (Nemenyi, 5 %).

![Mean ranks with critical differences](ranks.png)"""


def write_page(records: Path | None = None, numbers: Path | None = None, out: Path | None = None) -> None:
    """Write RESULTS.md and its pictures into a folder."""
    folder, entries = out or Path(__file__).parent, jsonl.read(records or RECORD)
    folder.mkdir(parents=True, exist_ok=True)
    cells, groups = summarise(entries), make_groups(entries, jsonl.read(numbers or NUMBERS))
    plots.draw(cells, [group.up_to(MOST_ROWS) for group in groups if group.outcomes], folder)
    jsonl.replace_text(folder / "RESULTS.md", page(entries, cells, groups))


def page(entries: Iterable[Mapping[str, Any]], cells: Cells, groups: list[Group]) -> str:
    """Return the text of the page."""
    entries, numbers = list(entries), groups[-1]
    parts = [
        "# The suite of tables",
        INTRODUCTION.format(tables=len(cells), numbers=len(numbers.outcomes)),
        age(entries),
        "## Where we lose",
        show_losses(groups, LOSSES),
        *worst(cells),
        "![macro-F1 against LightGBM's, table by table](against_lightgbm.png)",
        "## At a glance",
        GLANCE.format(rows=MOST_ROWS),
        "## Means",
        *(show_means(group) for group in groups if group.outcomes),
        _fewer(cells),
        show_seeds(cells),
        "## Goals",
        markdown(
            ("of ours", "target", "measured", ""),
            (
                (f"{goal.kind}: {goal.name}", goal.target, goal.value, goal.state)
                for goal in goals(cells, jsonl.read(FLIGHTS))
            ),
        ),
        scorecards.show_goals(entries),
        "## Macro-F1, table by table",
        by_table(cells, lambda cell: f"{cell.f1:.1f}"),
        "## AUC",
        by_table(cells, lambda cell: "" if cell.auc is None else f"{cell.auc:.1f}"),
        "## Log loss",
        by_table(cells, lambda cell: f"{cell.log_loss:.3f}"),
        "## R2",
        show_tables(numbers, lambda outcome: f"{outcome.score / 100:.3f}"),
        "## Sizes",
        by_table(cells, lambda cell: "" if cell.edges is None else f"{cell.edges:,.0f}"),
        show_tables(numbers, lambda outcome: show_median([outcome.size])),
        "## Columns",
        by_table(cells, lambda cell: "" if cell.columns is None else f"{cell.columns:.0f}"),
        show_tables(numbers, lambda outcome: show_median([outcome.columns])),
        "## Times",
        "In fits of LightGBM on the same rows in the same process; for LightGBM itself, and where a number is "
        "predicted, in processor seconds.",
        by_table(cells, _time),
        show_tables(numbers, lambda outcome: f"{outcome.cpu:.2f}"),
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


def by_table(cells: Cells, text: Callable[[Cell], str]) -> str:
    """Return a table with a line for each table and a column for each model that has records."""
    shown = [model for model in LABELS if cells_of(cells, model)]
    rows = [
        (name, f"{next(iter(row.values())).rows:,}", *(text(row[model]) if model in row else "" for model in shown))
        for name, row in cells.items()
    ]
    return markdown(("table", "rows", *(LABELS[model].title for model in shown)), rows)


def worst(cells: Cells) -> list[str]:
    """Return where each model that has edges is furthest below LightGBM."""
    lines = []
    for model in (OURS, FAST, "cart"):
        pairs = {name: row for name, row in cells.items() if model in row and "lightgbm" in row}
        differences = sorted((row[model].f1 - row["lightgbm"].f1, name) for name, row in pairs.items())
        text = ", ".join(f"{name} {signed(points)}" for points, name in differences[:WORST])
        lines += [f"Furthest below LightGBM, {LABELS[model].title}: {text}."] if text else []
    return lines


def show_seeds(cells: Cells) -> str:
    """Return how far the seeds of ours lie apart, in scores and in edges."""
    rows = []
    for model in (OURS, FAST, CARD, PLAIN):
        several = [cell for (cell,) in cells_of(cells, model) if cell.seeds > 1]
        if several:
            spreads = [cell.spread for cell in several]
            rows.append((
                LABELS[model].title, str(len(several)), str(max(cell.seeds for cell in several)),
                f"{mean(spreads):.2f}", f"{max(spreads):.2f}",
                f"{100 * mean(cell.edge_spread for cell in several):.0f} %",
                f"{100 * max(cell.edge_spread for cell in several):.0f} %",
            ))  # fmt: skip
    if not rows:
        return ""
    header = ("tables", "seeds", "macro-F1, points", "at most", "edges, share of the mean", "at most")
    text = "Standard deviation over the seeds of the means of the five folds; the folds are the same."
    return f"## Seeds\n\n{text}\n\n{markdown(('model', *header), rows)}"


def notes(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what failed or was stopped, and is empty above."""
    text = sorted(
        {f"{LABELS[one['model']].title} on {one['table']}: {one['note']}" for one in entries if "note" in one}
    )
    return ["Without a result: " + "; ".join(text) + "."] if text else []


def _fewer(cells: Cells) -> str:
    counts = [
        f"{LABELS[model].title} on {sum((own.edges or 0) < (cart.edges or 0) for own, cart in pairs)} of {len(pairs)} "
        "tables"
        for model in (OURS, FAST)
        if (pairs := cells_of(cells, model, "cart"))
    ]
    return f"Fewer edges than CART: {', '.join(counts)}." if counts else ""


def _time(cell: Cell) -> str:
    return "" if cell.ratio is None else f"{cell.cpu:.2f} s" if cell.ratio == 1 else f"{cell.ratio:.1f}"
