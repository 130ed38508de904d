"""REPRODUCTION.md: the paper's columns in full, over the seeds, and what they cost; the figures set for them."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean, pstdev
from typing import Any

from benchmarks.paper.accounts import account, missed_cells
from benchmarks.paper.conceptrules_tables import Figure
from benchmarks.paper.markdown import markdown, signed
from benchmarks.paper.reference import BASELINES, COLUMN, NAMES, OURS, data_names, paper_cell
from benchmarks.paper.results import NEAR, SEEDS, Results, average, reached, seed_means

AIMS = {"wine": 95.0, "blogger": 82.0}
MEAN, SETS = 86.0, 9
"""What was set for the column CRS: these cells, its mean, and on how many data sets it comes near or is above."""
SEARCH_MINUTES, COLUMN_MINUTES = 40, 20
"""What the search and the four columns may take on an H200."""


def reproduction_page(results: Results) -> list[str]:
    """Return the sections of REPRODUCTION.md."""
    return [
        """\
# The paper's columns in full

Made by `make paper` from `records/` and `accounts/reproduction.md`; please do not edit it. [RESULTS.md](RESULTS.md) has
Table 1, [PROTOCOL.md](PROTOCOL.md) how the columns are tuned and trained, [SEARCHES.md](SEARCHES.md) what each fold
chose, [METHODS.md](METHODS.md) how all else is done.""",
        missed_section(results),
        account("reproduction", results),
        seeds_table(results),
        rare_classes(results),
        published_table(results),
        time_section(results),
    ]


def missed_section(results: Results) -> str:
    words = f"""\
By the mean of its seeds the column CRS differs by more than {NEAR:g} points on these data sets. What the records say of
them; "held out" is the score that the folds chose by ([SEARCHES.md](SEARCHES.md)):"""
    missed = missed_cells("reproduction_missed", results)
    return f"## The data sets that are missed\n\n{words}\n\n{missed}" if missed else ""


def aims_table(results: Results) -> str:
    """Return what was set for the column CRS, met or missed."""
    cells = {data: results.cell(data, "crs") for data in data_names()}
    ours = average(cells.values())
    if ours is None:
        return ""
    count = len(reached(list(cells.values())))
    figures = [
        Figure(f"within {NEAR:g} points of the paper, or above", f"on >= {SETS} of 12", f"on {count}", count >= SETS),
        Figure("mean of the column", f">= {MEAN}", f"{ours:.2f}", round(ours, 2) >= MEAN),
    ]
    for data, least in AIMS.items():
        score = cells[data].ours or 0.0
        figures.append(Figure(data, f">= {least}", f"{score:.2f}", round(score, 2) >= least))
    for name, (seconds, minutes) in times(results).items():
        figures.append(Figure(name, f"<= {minutes} min", f"{seconds / 60:.1f} min", seconds <= 60 * minutes))
    met = sum(figure.met is True for figure in figures)
    header = ["figure", "target", "measured", "verdict"]
    return "\n".join(
        [
            "### Figures set for the column CRS",
            "",
            f"**{met} of {len(figures)}** are met. Scores are means of {SEEDS} seeds.",
            "",
            markdown(header, [figure.cells for figure in figures]),
        ]
    )


def seeds_table(results: Results) -> str:
    header = ["data", *(NAMES[model] for model in OURS)]
    rows = [[data, *(_seeds_text(results, data, model) for model in OURS)] for data in data_names()]
    return "\n".join(
        [
            "## Our columns over the seeds 0 to 4, protocol fold",
            "",
            "Mean of the seeds' means ± their standard deviation (lowest to highest); the number of seeds in brackets.",
            "",
            markdown(header, rows),
        ]
    )


def _seeds_text(results: Results, data: str, model: str) -> str:
    means = seed_means(results.seeds(data, model))
    if len(means) < 2:
        return f"{means[0]:.2f} [1]" if means else "not run"
    return f"{mean(means):.2f} ± {pstdev(means):.2f} ({min(means):.2f} to {max(means):.2f}) [{len(means)}]"


def rare_classes(results: Results) -> str:
    """Return the scores without rare classes, where that changes them."""
    rows = []
    for data in data_names():
        by_model = [results.seeds(data, model) for model in NAMES]
        pairs = [
            tuple(mean(seed_means(runs, name)) for name in ("f1", "f1_common")) if runs else () for runs in by_model
        ]
        if any(pair and abs(pair[0] - pair[1]) >= 0.005 for pair in pairs):
            rows.append([data, *(f"{pair[1]:.2f}" if pair else "not run" for pair in pairs)])
    if not rows:
        return ""
    return "\n".join(
        [
            "## Without rare classes, protocol fold",
            "",
            "Macro-F1 over the classes with at least 5 training rows, for data sets where that differs from Table 1.",
            "nursery has a class with 2 rows in all: a fold that tests one of them loses a fifth of its score with it.",
            "",
            markdown(["data", *NAMES.values()], rows),
        ]
    )


def published_table(results: Results) -> str:
    """Return what cut points of all rows are worth to the models that see any."""
    models = (*OURS, "sbrl")
    rows = [[data, *(_both_text(results, data, model) for model in models)] for data in data_names()]
    means = []
    for model in models:
        fold = average([results.cell(data, model) for data in data_names()])
        published = average([results.published_cell(data, model) for data in data_names()])
        means.append(_pair_text(fold, published, paper_cell("Average", model)))
    rows.append(["**mean**", *means])
    words = """\
What it is worth to fit the cut points on all rows, as the authors do: published, fold, and the first less the second;
below them the paper's cell and the difference of published from it. The other baselines see no cut points: for them the
protocols are the same. So they are for all models on tables without columns of numbers, where our columns were not run
again."""
    header = ["data", *(NAMES[model] for model in models)]
    return "\n".join(["## Protocol published", "", words, "", markdown(header, rows)])


def _both_text(results: Results, data: str, model: str) -> str:
    published, fold = results.published_cell(data, model), results.cell(data, model)
    if published.ours is None:
        return f"{published.reason}<br>{published.paper:.2f}"
    first = f"**{published.ours:.2f}**"
    if fold.ours is not None:
        first += f", {fold.ours:.2f}, {signed(published.ours - fold.ours)}"
    return f"{first}<br>{published.paper:.2f} ({signed(published.ours - published.paper)})"


def _pair_text(fold: float | None, published: float | None, paper: float) -> str:
    if published is None:
        return f"not whole<br>{paper:.2f}"
    first = f"**{published:.2f}**" + ("" if fold is None else f", {fold:.2f}, {signed(published - fold)}")
    return f"{first}<br>{paper:.2f} ({signed(published - paper)})"


def time_section(results: Results) -> str:
    """Return what the columns cost."""
    rows = []
    for model in (*BASELINES, COLUMN):
        chosen = [each for each in results.records if each.run.model == model and each.run.protocol == "fold"]
        whole = [each for each in chosen if each.complete and each.run.seed == 0]
        folds = [fold for each in whole for fold in each.folds]
        if folds:
            fit, tune = (sum(fold.seconds.get(key, 0.0) for fold in folds) for key in ("fit", "tune"))
            places = sorted({place_text(place) for each in whole for place in each.places})
            name = NAMES.get(model, model)
            rows.append([name, str(len(whole)), f"{fit:,.1f}", f"{tune:,.1f}" if tune else "none", "; ".join(places)])
    if not rows:
        return ""
    header = ["model", "data sets", "seconds of fits", "seconds of choosing", "where"]
    words = """\
The others have protocol fold, seed 0, and all five folds of the data sets that are complete. Machines were shared with
other work, so these are orders of magnitude."""
    return "\n".join(["## Times", "", *column_times(results), words, "", markdown(header, rows)])


def times(results: Results) -> dict[str, tuple[float, int]]:
    """Return the seconds of the search and of our four columns, each with the minutes that it may take."""
    searched = [entry["seconds"] for entry in results.entries("search")]
    columns = [each for each in results.records if each.run.model in OURS and each.run.protocol == "fold"]
    trained = [fold.seconds["fit"] for each in columns for fold in each.folds if fold.seconds]
    seconds = {"search": (sum(searched), SEARCH_MINUTES), "columns": (sum(trained), COLUMN_MINUTES)}
    return {f"time of the {name}": limits for name, limits in seconds.items()} if searched and trained else {}


def column_times(results: Results) -> list[str]:
    """Say how long the search and our columns took."""
    seconds = times(results)
    if not seconds:
        return []
    (searched, most), (trained, last) = seconds.values()
    entries = results.entries("search")
    places = "; ".join(sorted({place_text(entry["place"]) for entry in entries}))
    trials = sum(entry["trials"] for entry in entries)
    runs = [each for each in results.records if each.run.model in OURS and each.complete]
    return [
        f"Our four columns, on {places}: the search took **{searched / 60:.1f} minutes** ({searched:,.0f} s, "
        f"{trials:,} trainings; at most {most} minutes were wanted), the columns **{trained / 60:.1f} minutes** "
        f"({trained:,.0f} s, {len(runs)} runs of five folds; at most {last} minutes were wanted). That is the "
        "training; rules are simplified and judged elsewhere. [SEARCHES.md](SEARCHES.md) has the seconds by data set.",
        "",
    ]


def place_text(place: Mapping[str, Any]) -> str:
    where = place.get("gpu") or place.get("processor") or place.get("machine", "")
    return f"{where} ({place.get('cores', '?')} cores)"
