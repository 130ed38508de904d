"""CONCEPTRULES.md: the library's own column beside the paper's cells and CART's edges, and its Pareto front.

The figures that were set for it, met or missed, are in RESULTS.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean, median, pstdev

from benchmarks.paper.accounts import sections
from benchmarks.paper.markdown import markdown, named, signed
from benchmarks.paper.records import Record
from benchmarks.paper.reference import BEST, CARD, COLUMN, data_names, paper_best, paper_cell
from benchmarks.paper.results import Results, edges_of, f1_of, seed_means

BUDGETS = {25: 77.5, 100: 78.7, 300: 79.7}
"""Edges that a network on adult has at most, and the macro-F1 that is to be had with them."""
AT_LEAST = {"bank-marketing": 76, "magic04": 83.5, "letRecog": 90, "banknote": 98.5, "adult": 80}
ALL_BUT_ALL = {"mushroom": 99.5, "tic-tac-toe": 99.5}
TENTH = ("adult", "bank-marketing", "magic04", "connect-4")


@dataclass(frozen=True, slots=True)
class Figure:
    """What was asked for, what came out, and whether that is enough (None: not run)."""

    name: str
    target: str
    measured: str = "not run"
    met: bool | None = None

    @property
    def cells(self) -> list[str]:
        return [self.name, self.target, self.measured, {True: "met", False: "**missed**", None: "open"}[self.met]]


def conceptrules_page(results: Results) -> list[str]:
    """Return the sections of CONCEPTRULES.md."""
    return [
        introduction(),
        limits_section(results),
        column_table(results),
        heads_table(results),
        chance_table(results),
        edges_table(results),
        fires_table(results),
        front_table(results),
    ]


def introduction() -> str:
    return """\
# Past the paper: the column conceptrules

Made by `make paper` from `records/` and `accounts/conceptrules.md`; please do not edit it. The column is the library as
it comes, `ConceptRuleClassifier(random_state=0)`, on the raw table of each training fold: protocol fold, the same
settings for all data sets. One thing is said of a table that it does not say itself: on chess, files and ranks have an
order (`kinds=`). Edges are counted after simplification; a set of k categories counts k, an interval with two bounds
counts two. `python -m benchmarks.paper run --data all --model conceptrules` runs it, on a CPU. The figures that were
set for it are in [RESULTS.md](RESULTS.md)."""


def limits_section(results: Results) -> str:
    """Say where the column is below the paper's CRS, the furthest first, and why."""
    why = sections("conceptrules", results)
    below = sorted(
        (value - paper_cell(data, "crs"), data)
        for data, value in scores(results).items()
        if value < paper_cell(data, "crs")
    )
    lines = [
        f"- **{data}**, {abs(points):.2f} below. {' '.join(why.get(data, '').split())}".rstrip()
        for points, data in below
    ]
    words = """\
The search is shaped on [a suite of 39 tables](../tables/RESULTS.md), not on these twelve. Where it is below the paper's
CRS:"""
    past = "[HISTORY.md](../../HISTORY.md) has the earlier runs of the column, and what else was tried."
    return "\n".join(["## What holds it back", "", words, "", *lines, "", past]) if lines else ""


def score(results: Results, data: str, name: str = "f1", model: str = COLUMN) -> float | None:
    """Return a score of a column as it is printed: to two digits, like the paper's."""
    record = results.record(data, model)
    return round(mean(f1_of(record, name)), 2) if record and record.complete else None


def scores(results: Results) -> dict[str, float]:
    """Return the score of each data set that was run."""
    every_score = {data: score(results, data) for data in data_names()}
    return {data: value for data, value in every_score.items() if value is not None}


def bounds(results: Results, data: str) -> float | None:
    return edges_of(results.record(data, COLUMN), "by_bounds")


def column_cell(results: Results, data: str) -> str:
    """Return a cell of Table 1."""
    ours, paper = score(results, data), paper_cell(data, "crs")
    record = results.record(data, COLUMN)
    if ours is None or record is None:
        return f"not run<br>{paper:.2f}"
    return f"**{ours:.2f}** ± {pstdev(f1_of(record)):.2f}<br>{paper:.2f} ({signed(ours - paper)})"


def column_mean(results: Results) -> str:
    known = scores(results)
    if not known:
        return f"not run<br>{paper_cell('Average', 'crs'):.2f}"
    ours = mean(known.values())
    if len(known) == len(data_names()):
        paper = paper_cell("Average", "crs")
        return f"**{ours:.2f}**<br>{paper:.2f} ({signed(ours - paper)})"
    paper = mean(paper_cell(data, "crs") for data in known)
    return f"{ours:.2f} on {len(known)} sets<br>{paper:.2f} on them ({signed(ours - paper)})"


def column_table(results: Results) -> str:
    rows = []
    for data in data_names():
        ours, common = score(results, data), score(results, data, "f1_common")
        crs, best = paper_cell(data, "crs"), paper_best(data)
        if ours is None or common is None:
            rows.append([data, "not run", f"{crs:.2f}", f"{best:.2f}", "not run"])
            continue
        beside = [f"{other:.2f} ({signed(ours - other)})" for other in (crs, best)]
        rows.append([data, f"**{ours:.2f}**", *beside, f"{common:.2f}"])
    known = scores(results)
    if known:
        sets = "" if len(known) == len(rows) else f" of {len(known)} sets"
        papers = [
            mean(cell_of(data) for data in known) for cell_of in (lambda data: paper_cell(data, "crs"), paper_best)
        ]
        ours = mean(known.values())
        beside = [f"{other:.2f} ({signed(ours - other)})" for other in papers]
        common = mean(score(results, data, "f1_common") or 0.0 for data in known)
        rows.append([f"**mean**{sets}", f"**{ours:.2f}**", *beside, f"{common:.2f}"])
    above = [data for data, value in known.items() if value >= paper_cell(data, "crs")]
    words = (
        f"At or above the paper's CRS on **{len(above)} of {len(known)}** data sets{named(above)}, "
        "by the figures as printed. The best of a row is over the paper's twelve models. The last column is macro-F1 "
        "over the classes with at least 5 training rows."
    )
    header = ["data", "conceptrules", "the paper's CRS", "the paper's best", "without rare classes"]
    return "\n".join(["## Beside the paper's cells", "", words, "", markdown(header, rows)])


def heads_table(results: Results) -> str:
    """Return the library's three columns beside each other, where all of them were run."""
    models = {COLUMN: "rules", BEST: 'rules, `effort="best"`', CARD: "scorecard"}
    columns = {model: {data: score(results, data, model=model) for data in data_names()} for model in models}
    if any(value is None for column in columns.values() for value in column.values()):
        return ""
    known = {model: {data: value or 0.0 for data, value in column.items()} for model, column in columns.items()}
    crs = {data: paper_cell(data, "crs") for data in data_names()}
    rows = [[data, *(f"{known[model][data]:.2f}" for model in models), f"{crs[data]:.2f}"] for data in data_names()]
    means = [mean(column.values()) for column in known.values()]
    above = [sum(column[data] >= crs[data] for data in crs) for column in known.values()]
    middle = [median(edges_of(results.record(data, model), "by_bounds") or 0.0 for data in crs) for model in models]
    rows += [
        ["**mean**", *(f"**{value:.2f}**" for value in means), f"{mean(crs.values()):.2f}"],
        ["at or above the paper's CRS", *(f"{count} of {len(crs)}" for count in above), ""],
        ["edges, median", *(f"{value:.0f}" for value in middle), ""],
    ]
    words = """\
Rules as they come, rules with more effort, and `ScorecardClassifier` as it comes, on the same folds. The goal was a
mean above the paper's CRS with one of the two kinds of model, and 9 cells at or above it."""
    header = ["data", *models.values(), "the paper's CRS"]
    return "\n".join(["## Rules and scorecards", "", words, "", markdown(header, rows)])


def chance_table(results: Results) -> str:
    """Return what another `random_state` changes, where more than one was run."""
    rows = []
    for data in data_names():
        runs = results.seeds(data, COLUMN)
        if len(runs) > 1:
            means, edges = seed_means(runs), [edges_of(run, "by_bounds") or 0.0 for run in runs]
            above = sum(round(value, 2) >= paper_cell(data, "crs") for value in means)
            f1 = f"{mean(means):.2f} ± {pstdev(means):.2f} ({min(means):.2f} to {max(means):.2f})"
            range_of = f"{mean(edges):,.1f} ({min(edges):,.1f} to {max(edges):,.1f})"
            rows.append(
                [
                    data,
                    f"{means[0]:.2f}",
                    f1,
                    f"{paper_cell(data, 'crs'):.2f}",
                    f"{above} of {len(runs)}",
                    range_of,
                ]
            )
    if not rows:
        return ""
    words = """\
All figures are about `random_state=0`. Others hold out other rows and begin elsewhere. Means of five folds; over the
seeds ± their standard deviation (lowest to highest)."""
    header = ["data", "seed 0", "macro-F1 over the seeds", "the paper's CRS", "seeds at or above it", "edges"]
    return "\n".join(["## Other seeds", "", words, "", markdown(header, rows)])


def edges_table(results: Results) -> str:
    rows = []
    for data in data_names():
        record = results.record(data, COLUMN)
        plain, ours, cart = (
            edges_of(record, "edges"),
            bounds(results, data),
            edges_of(results.record(data, "cart"), "edges"),
        )
        if plain is None or ours is None or cart is None:
            rows.append([data, *["not run"] * 2, "not run" if cart is None else f"{cart:,.0f}", "not run"])
            continue
        rows.append([data, f"{ours:,.1f}", f"{plain:,.1f}", f"{cart:,.0f}", f"{ours / cart:.3f}"])
    words = """\
Means of five folds. CART is scikit-learn's tree at its defaults, on one-hot categories. The second count takes an
interval with two bounds as one edge."""
    header = ["data", "edges", "two bounds as one", "CART", "edges / CART's"]
    return "\n".join(["## Edges beside CART's", "", words, "", markdown(header, rows)])


def fires_table(results: Results) -> str:
    rows = []
    for data in data_names():
        record = results.record(data, COLUMN)
        if record and record.complete:
            shares = zip(*(fold.extra["fires"] for fold in record.folds), strict=True)
            rows.append([data, *(f"{100 * mean(share):.1f}" for share in shares)])
    if not rows:
        return ""
    words = "Shares of the test rows, in per cent: the default class decides the first, the priority the last."
    header = ["data", "no class fires", "one fires", "several fire"]
    return "\n".join(["## How many classes fire", "", words, "", markdown(header, rows)])


def front_table(results: Results) -> str:
    record = results.record("adult", COLUMN)
    if record is None or not record.complete:
        return ""
    rows = []
    for most, target in BUDGETS.items():
        networks = within(record, most)
        if networks is None:
            rows.append([f"{most}", *["no network so small"] * 3, f"{target:.1f}"])
            continue
        edges, f1 = (mean(network[key] for network in networks) for key in ("by_bounds", "f1"))
        worst = min(network["f1"] for network in networks)
        rows.append([f"{most}", f"{edges:.1f}", f"{100 * f1:.2f}", f"{100 * worst:.2f}", f"{target:.1f}"])
    words = """\
From the one fit of each fold: of the networks of `frontier_` with at most so many edges, the one with the best score on
held-out rows; its macro-F1 on the test rows, the mean of five folds."""
    header = ["edges at most", "edges", "macro-F1", "the worst fold", "wanted"]
    return "\n".join(["## The Pareto front on adult", "", words, "", markdown(header, rows)])


def within(record: Record, most: int) -> list[dict[str, float]] | None:
    """Return the best network of each fold with at most so many edges, or None if a fold has none."""
    networks = [best_within(fold.extra["frontier"], most) for fold in record.folds]
    return None if None in networks else [network for network in networks if network is not None]


def best_within(front: list[dict[str, float]], most: int) -> dict[str, float] | None:
    """Return the network with the best score on held-out rows among those with at most so many edges."""
    small = [point for point in front if point["by_bounds"] <= most]
    return max(small, key=lambda point: (point["validation"], -point["by_bounds"]), default=None)


def all_figures(results: Results) -> list[Figure]:
    return [*score_figures(results), *edges_figures(results), *time_figures(results), *front_figures(results)]


def missed_figures(results: Results) -> list[Figure]:
    """Return what was set for the column and is not reached."""
    return [figure for figure in all_figures(results) if figure.met is False]


def verdict_table(results: Results) -> str:
    figures = all_figures(results)
    count = sum(figure.met is True for figure in figures)
    words = f"""\
**{count} of {len(figures)}** figures are met.
[The account](CONCEPTRULES.md#what-holds-it-back) says why the others are not."""
    table = markdown(["figure", "target", "measured", "verdict"], [figure.cells for figure in figures])
    return "\n".join(["### Past the paper: figures set for the column conceptrules", "", words, "", table])


def score_figures(results: Results) -> Iterator[Figure]:
    known = scores(results)
    whole = len(known) == len(data_names())
    ours = mean(known.values()) if known else 0.0
    on = "" if whole else f" on {len(known)} of {len(data_names())} sets"
    text, whole_only = f"{ours:.2f}{on}" if known else "not run", {True: True, False: None}[whole]
    yield Figure("mean macro-F1", ">= 87.0", text, whole_only and ours >= 87.0)
    above = [data for data, value in known.items() if value >= paper_cell(data, "crs")]
    met = None if not whole and len(above) < 8 else len(above) >= 8
    yield Figure("at or above the paper's CRS", "on >= 8 of 12", f"on {len(above)}", met)
    for data, least in {**AT_LEAST, **ALL_BUT_ALL}.items():
        yield at_least(data, least, known.get(data))
    yield at_least("nursery, classes with at least 5 training rows", 99.5, score(results, "nursery", "f1_common"))
    best = mean(paper_best(data) for data in data_names())
    yield Figure("aim: mean of the best of each row", f">= {best:.2f}", text, whole_only and ours >= best)
    reached = [data for data, value in known.items() if value >= paper_best(data)]
    met = None if not whole else len(reached) == len(data_names())
    yield Figure("aim: the best of each row", "on 12 of 12", f"on {len(reached)}{named(reached)}", met)


def at_least(name: str, least: float, value: float | None) -> Figure:
    target = f">= {least:g}"
    return Figure(name, target) if value is None else Figure(name, target, f"{value:.2f}", value >= least)


def edges_figures(results: Results) -> Iterator[Figure]:
    pairs = {data: (bounds(results, data), edges_of(results.record(data, "cart"), "edges")) for data in data_names()}
    known = {data: (ours, cart) for data, (ours, cart) in pairs.items() if ours is not None and cart is not None}
    whole = len(known) == len(pairs)
    ratios = {data: ours / cart for data, (ours, cart) in known.items()}
    fewer = [data for data, ratio in ratios.items() if ratio < 1]
    more = [data for data, ratio in ratios.items() if ratio > 2]
    met = None if not whole and len(fewer) < 10 else len(fewer) >= 10
    yield Figure("edges: fewer than CART's", "on >= 10 of 12", f"on {len(fewer)}", met)
    met = None if not whole and not more else not more
    yield Figure("edges: more than twice CART's", "on none", f"on {len(more)}{named(more)}", met)
    for data in TENTH:
        name, target = f"edges on {data}, as a share of CART's", "<= 0.100"
        if data in ratios:
            yield Figure(name, target, f"{ratios[data]:.3f}", ratios[data] <= 0.1)
        else:
            yield Figure(name, target)
    name, target = "edges: median over the sets", "< 150"
    if not known:
        yield Figure(name, target)
        return
    middle = median(ours for ours, _ in known.values())
    yield Figure(name, target, f"{middle:.1f}", middle < 150 if whole else None)


def time_figures(results: Results) -> Iterator[Figure]:
    folds = results.entries("fit_times", data="adult")
    if not folds:
        yield Figure("time on adult, default", "<= 300 LightGBM fits")
        yield Figure('time on adult, effort="fast"', "<= 60 LightGBM fits")
        yield Figure('adult, effort="fast"', ">= 78")
        return
    seconds = {key: mean(fold[key] for fold in folds) for key in ("lightgbm", "default", "fast", "fast_f1")}
    count = folds[0]["threads"]
    threads = f"{count} thread" + ("s" if count > 1 else "")
    for name, key, most in (("default", "default", 300), ('effort="fast"', "fast", 60)):
        ratio = seconds[key] / seconds["lightgbm"]
        text = f"{ratio:.0f} ({seconds[key]:.2f} s and {seconds['lightgbm']:.3f} s of processor time, {threads})"
        yield Figure(f"time on adult, {name}", f"<= {most} LightGBM fits", text, ratio <= most)
    f1 = 100 * seconds["fast_f1"]
    yield Figure('adult, effort="fast"', ">= 78", f"{f1:.2f}", f1 >= 78)


def front_figures(results: Results) -> Iterator[Figure]:
    record = results.record("adult", COLUMN)
    for most, least in BUDGETS.items():
        name, target = f"adult with at most {most} edges", f">= {least:g}"
        if record is None or not record.complete:
            yield Figure(name, target)
            continue
        networks = within(record, most)
        f1 = 100 * mean(network["f1"] for network in networks) if networks else 0.0
        yield Figure(name, target, f"{f1:.2f}" if networks else "no network so small", f1 >= least)
