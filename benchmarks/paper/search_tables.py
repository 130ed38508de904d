"""SEARCHES.md: what each fold of our columns tried and chose, what the bits hold, and later spaces of baselines."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from statistics import mean
from typing import Any

from benchmarks.jsonl import Entry
from benchmarks.paper.choice import MODELS
from benchmarks.paper.markdown import markdown
from benchmarks.paper.records import PROTOCOLS
from benchmarks.paper.reference import BASELINES, NAMES, data_names
from benchmarks.paper.results import Results, beside

LATER = "later"
"""The search of records/other_searches.jsonl, by its name there."""
KINDS = {"rules": "P > 0", "zero": "P = 0"}


def searches_page(results: Results) -> list[str]:
    """Return the sections of SEARCHES.md."""
    return [
        """\
# Where the settings come from

Made by `make paper` from `records/`; please do not edit it. [RESULTS.md](RESULTS.md) has the tables that these settings
lead to.""",
        search_section(results),
        promise_table(results),
        bits_table(results),
        later_table(results),
    ]


def search_section(results: Results) -> str:
    """Return what our columns tried and chose: what it took, and a table of choices for each of the four."""
    entries = results.entries("search")
    if not entries:
        return ""
    words = """\
Each fold of each of the four columns chooses for itself, from splits of its own training rows, as
[PROTOCOL.md](PROTOCOL.md) has it: no row of a test fold has a say in what is tested on it. First all configurations of
a fold are trained, then the best of them on more splits and from more starts. `records/search.jsonl` has all that was
tried, with the mean scores on the rows held out after trainings of 20, 50, 100, 200 and 400 epochs (200 at most without
random binarization), and `records/candidates.jsonl` the configurations by their numbers."""
    lines = ["## The search behind our columns", "", words, "", cost_table(entries)]
    for kind, models in MODELS.items():
        for model in models:
            rows = [choice_row(results, one, model) for one in entries if one["kind"] == kind]
            header = ["data", "chosen (by the folds)", "held-out rows", "test rows"]
            lines += ["", f"### What {NAMES[model]} chose", "", markdown(header, rows)]
    said = """\
"held-out rows" is the mean over the folds of the score that the choice was made by, itself a mean over splits and
starts; "test rows" is the cell of Table 1. The first is that of the best of all that was tried, and on rows that the
cut points have seen, so it may be too high. The networks behind the second have learned from a quarter more rows."""
    return "\n".join([*lines, "", said])


def cost_table(entries: list[Entry]) -> str:
    rows = []
    for data in data_names():
        found = {one["kind"]: one for one in entries if one["data"] == data}
        cells = [cell for kind in KINDS for cell in (cost(found[kind]) if kind in found else ["not run"] * 3)]
        rows.append([data, *cells])
    total = [sum(one["seconds"] for one in entries if one["kind"] == kind) for kind in KINDS]
    trials = [sum(one["trials"] for one in entries if one["kind"] == kind) for kind in KINDS]
    sums = [cell for pair in zip(trials, total, strict=True) for cell in ("", f"{pair[0]:,}", f"{pair[1]:,.0f}")]
    columns = ("configurations of a fold", "trainings", "seconds")
    header = ["data", *(f"{column}, {kind}" for kind in KINDS.values() for column in columns)]
    return markdown(header, [*rows, ["**all**", *sums]])


def cost(found: Mapping[str, Any]) -> list[str]:
    counts = [len(fold["tries"]["number"]) for fold in found["folds"]]
    few, many = min(counts), max(counts)
    return [f"{few} to {many}" if few < many else f"{many}", f"{found['trials']:,}", f"{found['seconds']:,.1f}"]


def choice_row(results: Results, found: Mapping[str, Any], model: str) -> list[str]:
    candidates = results.entry("candidates", data=found["data"], kind=found["kind"])
    assert candidates is not None
    chosen = [fold["chosen"][model] for fold in found["folds"]]
    folds: dict[str, list[str]] = {}
    for fold, one in enumerate(chosen):
        text = f"{settings_text(candidates['configurations'][one['number']])}, {one['epochs']} epochs"
        folds.setdefault(text, []).append(str(fold))
    texts = [f"{text} ({', '.join(some)})" for text, some in folds.items()]
    held, tested = 100 * mean(one["score"] for one in chosen), results.cell(found["data"], model).ours
    return [found["data"], "<br>".join(texts), f"{held:.2f}", "not run" if tested is None else f"{tested:.2f}"]


def settings_text(given: Mapping[str, Any]) -> str:
    rate = f", P = {given['binarization_rate']:g}" if given["binarization_rate"] else ""
    text = f"{'_'.join(map(str, given['layers']))}{rate}, L2 {given['l2']:g}"
    return text + (", with NOT" if given["negation"] else "")


def promise_table(results: Results) -> str:
    """Return how much higher a score is where the cut points have seen the rows that it is of."""
    ways = ("held seen", "held unseen", "test seen", "test unseen")
    rows = [
        [found["data"], *(f"{100 * mean(found[way]):.2f}" for way in ways)] for found in results.entries("cut_points")
    ]
    if not rows:
        return ""
    header = ["data", "held out, seen", "held out, unseen", "test rows, seen", "test rows, unseen"]
    words = """\
Cut points are made with the classes of the rows that they come from. Those of a fold come from all its training rows,
so they have seen the rows that it holds out for its choices, and not its test rows; the authors' come from all rows.
What that does to the score, with one configuration (64, P = 0.8, with NOT, 50 epochs), the mean over ten splits of each
fold: on rows held out, after training on the other four fifths, with cut points of all training rows (seen) and of the
four fifths (unseen); on test rows, after training on all training rows, with cut points of all rows (seen) and of the
training rows (unseen). Measured after the columns were known; it chooses nothing (`cut_points.py`)."""
    return "\n".join(["## What cut points tell of rows they have seen", "", words, "", markdown(header, rows)])


def bits_table(results: Results) -> str:
    """Return whether a difference comes from the bits or from the network that learns from them."""
    rows = []
    for found in results.entries("bit_bounds"):
        ours, forest = (results.cell(found["data"], model).ours for model in ("crs", "rf100"))
        own, raw = ("not run" if one is None else f"{one:.2f}" for one in (ours, forest))
        rows.append([found["data"], own, *(f"{100 * mean(found[key]):.2f}" for key in ("forest", "bound")), raw])
    if not rows:
        return ""
    header = ["data", "CRS", "a forest of 100 trees on the bits", "bound", "RF(100) on the table"]
    words = """\
All that a CRS sees of a continuous column is between which cut points a value lies, and these come from the training
rows. The bound is what the best answer to each pattern of bits would reach, if one knew the test rows: macro-F1 can
hardly be higher with these inputs, whatever learns from them."""
    return "\n".join(["## What the bits hold", "", words, "", markdown(header, rows)])


def later_table(results: Results) -> str:
    """Return what baselines have in spaces that were changed after test scores, beside Table 1."""
    later = {
        (run["data"], run["model"], run["protocol"]): run for run in results.entries("other_searches", search=LATER)
    }
    rows = []
    for model, data in product(BASELINES, data_names()):
        if (data, model, "fold") in later:
            first = results.record(data, model)
            cells: list[str] = []
            for protocol in PROTOCOLS:
                run = later.get((data, model, protocol))
                scores = [100 * one for one in run["f1"]] if run else None
                cells += beside(scores, results.record(data, model, protocol))
            changed = changes(first.settings, later[data, model, "fold"]["settings"]) if first else "not run"
            rows.append([data, NAMES[model], *cells, f"{results.cell(data, model).paper:.2f}", changed])
    if not rows:
        return ""
    header = ["data", "model", "later space", "Table 1", "later space, published", "published", "the paper", "changed"]
    words = """\
Table 1 has each baseline in the space that was written down first. Those of two were changed when test scores had been
seen, and the runs in the later spaces are no part of Table 1. Here they stand beside it, with how much they are above
it: seed 0. "changed" has what was fixed, or what validation chose from, first and later. `tune_rows` is how many rows
the search learns from (0: all). Where `min_child_weight` is not set, it is 0.001. GBDT sees no cut points, so it has no
runs of its own under published."""
    return "\n".join(["## A later space of two baselines", "", words, "", markdown(header, rows)])


def changes(first: Mapping[str, Any], later: Mapping[str, Any]) -> str:
    """Name every setting that differs, in the order of the names; one that is searched has several values."""
    before, after = ({"tune_rows": one["tune_rows"], **one["fixed"], **one["search"]} for one in (first, later))
    texts = {key: [values_text(one.get(key)) for one in (before, after)] for key in sorted(before | after)}
    return "; ".join(f"{key} {old} → {new}" for key, (old, new) in texts.items() if old != new)


def values_text(value: Any) -> str:
    return "not set" if value is None else " or ".join(map(str, value if isinstance(value, list) else [value]))
