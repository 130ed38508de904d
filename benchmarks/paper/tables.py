"""RESULTS.md: the verdict, the paper's tables with ours beside them, and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from benchmarks.paper import conceptrules_tables, rate_claims, reproduction_tables
from benchmarks.paper.accounts import missed_cells
from benchmarks.paper.markdown import markdown, signed
from benchmarks.paper.markdown import named as _named
from benchmarks.paper.records import STAGES
from benchmarks.paper.reference import COLUMN, LEARNED, NAMES, data_names, paper_cell, paper_figures
from benchmarks.paper.results import NEAR, Cell, Results, average, reached

PROPERTIES = ("instances", "classes", "original", "binary")
STAGE_NAMES = dict(zip(STAGES, ("CRS_O", "CRS_DN", "CRS_RR", "CRS_DN&RR"), strict=True))


def results_page(results: Results, drawn: Sequence[str]) -> list[str]:
    """Return the sections of RESULTS.md; `drawn` names the figures that there are."""
    return [
        introduction(),
        verdict(results),
        reproduction_tables.aims_table(results),
        conceptrules_tables.verdict_table(results),
        missed_section(results),
        table_1(results),
        table_2(results),
        rate_section(results, drawn),
        complexity_section(results, drawn),
        activation_section(drawn),
        case_section(drawn),
        gap_section(results, drawn),
    ]


def introduction() -> str:
    return """\
# The paper's experiments, run again

Made by `make paper` from the records in `records/`; please do not edit it. "The paper" is *Transparent Classification
with Multilayer Logical Perceptrons and Random Binarization* (AAAI 2020). Scores are macro-F1 in per cent, the mean of
the paper's five folds. Cut points, categories and every choice come from the training fold alone (protocol fold).
How the paper's own columns are tuned and trained was written down before any of their test scores was seen
([PROTOCOL.md](PROTOCOL.md)), and was run once.

| page | what is there |
| --- | --- |
| [METHODS.md](METHODS.md) | folds, protocols, inputs, choices, how edges are counted |
| [REPRODUCTION.md](REPRODUCTION.md) | the paper's columns: what is missed, seeds, baselines, times |
| [SEARCHES.md](SEARCHES.md) | what each fold tried and chose; what the bits hold |
| [CONCEPTRULES.md](CONCEPTRULES.md) | the library's own column: scores, edges, Pareto front, seeds |
| [HISTORY.md](../../HISTORY.md) | what was tried before, and what it gave |"""


def verdict(results: Results) -> str:
    cells = [results.cell(data, "crs") for data in data_names()]
    by = {kind: [cell.data for cell in cells if cell.verdict == kind] for kind in ("near", "above", "below", "open")}
    counts = {kind: f"{len(names)}{_named(names)}" for kind, names in by.items()}
    lines = [
        "## Verdict",
        "",
        f"The paper's method, run again, comes within {NEAR:g} points of the paper's score or above it on "
        f"**{len(reached(cells))} of {len(cells)}** data sets: it is within {NEAR:g} points on {counts['near']}, "
        f"further above on {counts['above']}, and further below on {counts['below']}.{_mean_sentence(cells)}"
        + (f" Not run, or not to the end: {counts['open']}." if by["open"] else ""),
        *learned_verdict(results),
        *published_verdict(results),
    ]
    return "\n".join(lines)


def learned_verdict(results: Results) -> list[str]:
    """Give the same count where it is learned which class wins."""
    cells = [results.cell(data, LEARNED) for data in data_names()]
    if all(cell.ours is None for cell in cells):
        return []
    below = [cell.data for cell in cells if cell.verdict == "below"]
    return [
        "",
        f"With a priority and a default class that are learned, which the paper does not have, it does so on "
        f"**{len(reached(cells))} of {len(cells)}**; it is further below on {len(below)}{_named(below)}."
        f"{_mean_sentence(cells)}",
    ]


def published_verdict(results: Results) -> list[str]:
    """Give both counts with cut points of all rows."""
    plain, learned = ([results.published_cell(data, model) for data in data_names()] for model in ("crs", LEARNED))
    means = [average(cells) for cells in (plain, learned)]
    if None in means:
        return []
    return [
        "",
        f"The authors' script takes the cut points from all rows, test rows included. Trained and tuned in that way, "
        f"the paper's method does so on **{len(reached(plain))} of {len(plain)}**, with a mean of {means[0]:.2f}, and "
        f"with a learned priority on **{len(reached(learned))} of {len(learned)}**, with a mean of {means[1]:.2f}.",
    ]


def _mean_sentence(cells: Sequence[Cell]) -> str:
    ours = average(cells)
    return "" if ours is None else f" Its mean is {ours:.2f}, the paper's {paper_cell('Average', 'crs'):.2f}."


def missed_section(results: Results) -> str:
    """Say what both columns miss, and why."""
    cells, figures = missed_cells("missed", results), conceptrules_tables.missed_figures(results)
    words = f"""\
The CRS column differs from these cells of the paper by more than {NEAR:g} points, by the mean of its seeds
([in full](REPRODUCTION.md))."""
    lines = [words, cells] if cells else []
    if figures:
        names = "; ".join(figure.name for figure in figures)
        lines.append(
            f"The column conceptrules misses {len(figures)} of the figures that were set for it "
            f"([in full](CONCEPTRULES.md)): {names}."
        )
    return "\n\n".join(["## What is missed, and why", *lines]) if lines else ""


def table_1(results: Results) -> str:
    rows = [
        [
            data,
            *(cell_text(results.cell(data, model)) for model in NAMES),
            conceptrules_tables.column_cell(results, data),
        ]
        for data in data_names()
    ]
    means = [_mean_text([results.cell(data, model) for data in data_names()], model) for model in NAMES]
    means.append(conceptrules_tables.column_mean(results))
    text = "\n".join(
        [
            "## Table 1, protocol fold",
            "",
            "Ours; below it the paper's cell and the difference. The cells of CRS, MLLP(P=0) and CRS(P=0), and of the",
            "CRS with a learned priority, which stands beside the paper's CRS, are the mean over the seeds 0 to 4 of",
            "the mean over the five folds, ± the standard deviation over the seeds. The others have one seed, ± the",
            "standard deviation over the folds. The last column is the library as it comes, beside the paper's CRS",
            "([more](CONCEPTRULES.md)).",
            "",
            markdown(["data", *NAMES.values(), COLUMN], [*rows, ["**mean**", *means]]),
        ]
    )
    reasons = [
        f"- {cell.data}, {NAMES[cell.model]}: {cell.reason}."
        for cell in (results.cell(data, model) for data in data_names() for model in NAMES)
        if cell.ours is None and cell.reason != "not run"
    ]
    return text + ("\n\nCells without a figure:\n\n" + "\n".join(reasons) if reasons else "")


def cell_text(cell: Cell) -> str:
    if cell.ours is None or cell.spread is None or cell.difference is None:
        return f"{'not run' if cell.reason == 'not run' else 'see below'}<br>{cell.paper:.2f}"
    return f"**{cell.ours:.2f}** ± {cell.spread:.2f}<br>{cell.paper:.2f} ({signed(cell.difference)})"


def _mean_text(cells: Sequence[Cell], model: str) -> str:
    """Return the mean of a column. If ours lacks some sets, both means are over those that it has."""
    paper = paper_cell("Average", model)
    whole = average(cells)
    if whole is not None:
        return f"**{whole:.2f}**<br>{paper:.2f} ({signed(whole - paper)})"
    run = [cell for cell in cells if cell.ours is not None]
    if not run:
        return f"not run<br>{paper:.2f}"
    ours, theirs = mean(cell.ours or 0.0 for cell in run), mean(paper_cell(cell.data, cell.model) for cell in run)
    return f"{ours:.2f} on {len(run)} sets<br>{theirs:.2f} on them ({signed(ours - theirs)})"


def table_2(results: Results) -> str:
    properties = {each["data"]: each for each in results.entries("properties")}
    rows, same = [], 0
    for data, paper in paper_figures()["properties"].items():
        ours = [properties.get(data, {}).get(key) for key in PROPERTIES]
        same += ours == paper
        texts = [
            f"{mine}" if mine == theirs else f"{mine} (paper {theirs})"
            for mine, theirs in zip(ours, paper, strict=True)
        ]
        rows.append([data, *texts])
    header = ["data", "instances", "classes", "original features", "binary features"]
    agreement = (
        "All are equal to the paper's."
        if same == len(rows)
        else f"{same} of {len(rows)} rows are equal to the paper's."
    )
    return "\n".join(
        ["## Table 2, computed", "", f"Cut points fitted on all rows. {agreement}", "", markdown(header, rows)]
    )


def rate_section(results: Results, drawn: Sequence[str]) -> str:
    points = rate_claims.rate_points(results)
    folds, lines = rate_claims.folds_of(points), ["## Figure on the binarization rate", ""]
    if not points:
        return "\n".join([*lines, "Not run."])
    lines += [
        f"CRS on connect-4, macro-F1 on the test rows ({folds}, one seed; 200 epochs, of which the "
        "validation rows choose one). The last rate is 0.99: at 1 there would be nothing left to learn with. Each "
        "point is one training, and neighbours differ by some points by chance.",
        "",
    ]
    lines += [*_image("rate", drawn), "", "The paper's three claims:", ""]
    return "\n".join(lines + [f"- {line}" for line in rate_claims.judged(points)])


def complexity_section(results: Results, drawn: Sequence[str]) -> str:
    """Return the figure on complexity and its numbers."""
    columns = [*((STAGE_NAMES[stage], "crs", stage) for stage in STAGES)]
    columns += [("C4.5", "c45", "edges"), ("CART", "cart", "edges"), ("RF(100)", "rf100", "edges")]
    rows = []
    for data in data_names():
        counts = [results.edges(data, model, stage) for _, model, stage in columns]
        rows.append([data, *("not run" if count is None else f"{count:,.0f}" for count in counts)])
    words = """\
Edges, the mean of five folds, for the CRS also of all seeds. For a CRS: literals of rules and rules of concepts, as
extracted (O), without dead nodes (DN), without redundant rules (RR), and without both. For a tree: from each node to
each child, so one less than it has nodes, which is what the paper's words ask for ("edges in Decision Tree [...]
determine the final model structure"); a forest has those of all its trees. Inputs of the trees are one-hot, so every
split has two edges."""
    header = ["data", *(name for name, *_ in columns)]
    return "\n".join(
        ["## Figure on complexity", "", words, "", *_image("complexity", drawn), "", markdown(header, rows)]
    )


def activation_section(drawn: Sequence[str]) -> str:
    words = "Truth tables of F_c(h, w) = 1 - w (1 - h) and F_d(h, w) = h w, and the heat map of F_c (1 - F_d)."
    return "\n".join(["## Figure of the activation functions", "", words, "", *_image("activation", drawn)])


def case_section(drawn: Sequence[str]) -> str:
    if "case" not in drawn:
        return "## Case study\n\nNot run."
    words = """\
One concept of a CRS trained on adult: an OR of rules, each an AND of literals. Each kind of column has its colour."""
    return "\n".join(["## Case study", "", words, "", *_image("case", drawn)])


def gap_section(results: Results, drawn: Sequence[str]) -> str:
    lines = ["## The gap between the MLLP and its CRS", ""]
    if "gap" not in drawn:
        return "\n".join([*lines, "Not run."])
    words = """\
Not in the paper; on validation rows of fold 0, for 400 epochs, with what an earlier search chose there: on adult three
layers of 32 at P = 0.6, on connect-4 one of 512 at P = 0.9, both with NOT. Above: macro-F1 of the continuous network
and of the CRS extracted from it, over the epochs. Below: the shares of rows on which no class fires and on which
several do, so that the default and the priority decide."""
    return "\n".join([*lines, words, "", *_image("gap", drawn), "", *gap_lines(results)])


def gap_lines(results: Results) -> list[str]:
    """Return one line for each data set: the last epoch on record."""
    lines = []
    for data in data_names():
        entries = results.entries("gap", data=data)
        if entries:
            last = max(entries, key=lambda entry: entry["epoch"])
            lines.append(
                f"- {data}, epoch {last['epoch']}: MLLP {100 * last['mllp_f1']:.2f}, CRS {100 * last['crs_f1']:.2f}; "
                f"no class fires on {100 * last['none']:.1f} % of the rows, several on {100 * last['several']:.1f} %."
            )
    return lines


def _image(name: str, drawn: Sequence[str]) -> list[str]:
    return [f"![{name}](figures/{name}.svg)"] if name in drawn else ["Not run."]
