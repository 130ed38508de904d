"""ABLATION.md: what each part of the search is worth, by the column conceptrules without it."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean, median

from benchmarks.paper.markdown import account, markdown, signed
from benchmarks.paper.records import FOLDS, Record
from benchmarks.paper.reference import ABLATIONS, COLUMN, LARGE, data_names
from benchmarks.paper.results import Results


@dataclass(frozen=True, slots=True)
class Part:
    """A data set without a part of the search, and with all of them on the same folds; F1 in per cent."""

    f1: float
    edges: float
    whole_f1: float
    whole_edges: float


def ablation_page(results: Results) -> list[str]:
    """Return the sections of ABLATION.md."""
    found = {model: parts(results, model) for model in ABLATIONS}
    title = """\
# What each part of the search is worth

Made by `make paper` from `records/ablation.jsonl` and `accounts/ablation.md`; please do not edit it."""
    return [title, summary(found), by_data(found), account("ablation")] if any(found.values()) else [title, "Not run."]


def parts(results: Results, model: str) -> dict[str, Part]:
    pairs = {data: (results.record(data, model), results.record(data, COLUMN)) for data in data_names()}
    return {
        data: part(data, one, whole) for data, (one, whole) in pairs.items() if ready(data, one) and ready(data, whole)
    }


def folds_of(data: str) -> range:
    return range(1 if data in LARGE else FOLDS)


def ready(data: str, record: Record | None) -> bool:
    done = {fold.fold for fold in record.folds if not fold.failed} if record else set()
    return done >= set(folds_of(data))


def part(data: str, one: Record | None, whole: Record | None) -> Part:
    figures = []
    for record in (one, whole):
        folds = [fold for fold in record.folds if fold.fold in folds_of(data)] if record else []
        figures += [100 * mean(fold.scores["f1"] for fold in folds), mean(fold.edges["by_bounds"] for fold in folds)]
    return Part(*figures)


def summary(found: dict[str, dict[str, Part]]) -> str:
    rows = []
    for model, part_name in ABLATIONS.items():
        here = list(found[model].values())
        if not here:
            rows.append([part_name, *["not run"] * 4, "0"])
            continue
        f1, whole = mean(each.f1 for each in here), mean(each.whole_f1 for each in here)
        edges, all_edges = (
            mean(values) for values in zip(*((each.edges, each.whole_edges) for each in here), strict=True)
        )
        ratio = median(each.edges / max(each.whole_edges, 1) for each in here)
        sets = str(len(here))
        rows.append(
            [part_name, f"{f1:.2f} ({signed(f1 - whole)})", f"{edges:,.0f}", f"{all_edges:,.0f}", f"{ratio:.2f}", sets]
        )
    words = f"""\
The column with one part of the search left out: mean macro-F1 over the data sets, in brackets the difference from the
column on the same folds, and edges beside the column's. All five folds, but fold 0 only on
{", ".join(LARGE)}, for the column too, so that means are not those of
Table 1. Descent (3) finds starts for tables of at least 2,000 rows and at most three classes, and the noise filter (3)
is for tables of at least 5,000 rows and two classes; on the others nothing is left out. What descent alone leads to is
the column CRS; `MLLPClassifier` has it."""
    header = ["without", "macro-F1", "edges", "the column's", "edges / the column's, median", "sets"]
    return "\n".join(["## One part left out", "", words, "", markdown(header, rows)])


def by_data(found: dict[str, dict[str, Part]]) -> str:
    rows = []
    for data in data_names():
        known = [found[model][data] for model in ABLATIONS if data in found[model]]
        if known:
            cells = [cell(found[model].get(data)) for model in ABLATIONS]
            rows.append([data, f"{known[0].whole_f1:.2f}<br>{known[0].whole_edges:,.0f}", *cells])
    header = ["data", COLUMN, *(model.removeprefix(f"{COLUMN}-").replace("-", " ") for model in ABLATIONS)]
    return "\n".join(["## Set by set", "", markdown(header, rows)])


def cell(part: Part | None) -> str:
    if part is None:
        return "not run"
    return f"{part.f1:.2f} ({signed(part.f1 - part.whole_f1)})<br>{part.edges:,.0f}"
