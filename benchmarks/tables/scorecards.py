"""Scorecards on the suite: what was asked of them, and table by table, from the records alone.

Models are compared on the folds of a table that both have, so that one that was run on three of them counts as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import mean, median
from typing import Any

from benchmarks.paper.markdown import markdown
from benchmarks.tables.summary import OURS, Goal
from conceptrules.model.text import plural

CARD, PLAIN = "scorecard", "scorecard-plain"
TITLES = {CARD: "scorecard", PLAIN: "one column a rule", "lightgbm": "LightGBM", "ebm": "EBM", "forest": "forest"}
Records = Iterable[Mapping[str, Any]]
Folds = dict[str, dict[str, dict[int, Mapping[str, Any]]]]
"""By table, model and fold: the record."""


def group_folds(records: Records) -> Folds:
    """Return the records of the first seed that have an AUC, and those of our rules, which need none."""
    folds: Folds = {}
    for record in records:
        if record["seed"] == 0 and ("auc" in record or (record["model"] == OURS and "note" not in record)):
            folds.setdefault(record["table"], {}).setdefault(record["model"], {})[record["fold"]] = record
    return dict(sorted(folds.items(), key=lambda item: next(iter(next(iter(item[1].values())).values()))["rows"]))


def compare(folds: Folds, model: str, other: str, field: str, several: bool) -> list[tuple[float, float]]:
    """Return the means of both over the folds that both have, for each table of two classes, or of several."""
    pairs = []
    for models in folds.values():
        both = sorted(models.get(model, {}).keys() & models.get(other, {}).keys())
        if both and (next(iter(models[model].values()))["classes"] > 2) == several:
            own, their = ([models[name][fold] for fold in both] for name in (model, other))
            pairs.append((mean(each[field] for each in own), mean(each[field] for each in their)))
    return pairs


def list_goals(records: Records) -> list[Goal]:
    """Return what was asked of scorecards, and what they reach on the tables on record."""
    folds = group_folds(records)

    def measure(name: str, model: str, other: str, field: str, bound: float, several: bool = False) -> Goal:
        pairs = compare(folds, model, other, field, several)
        scale = 1 if field == "log_loss" else 100
        values = [scale * (own - their) for own, their in pairs]
        return _goal(name, values, mean(values) if values else 0.0, bound, field == "log_loss")

    def size(name: str, model: str, bound: float) -> Goal:
        own = [list(models[model].values()) for models in folds.values() if model in models]
        edges = [mean(record["edges"] for record in records) for records in own if records[0]["classes"] == 2]
        return _goal(name, edges, median(edges) if edges else 0.0, bound, True)

    def share(name: str, other: str, bound: float, several: bool) -> Goal:
        ratios = [own / their for own, their in compare(folds, CARD, other, "edges", several) if their]
        return _goal(name, ratios, median(ratios) if ratios else 0.0, bound, True)

    times = [
        median(record["cpu"] / record["lightgbm_cpu"] for record in models[CARD].values())
        for models in folds.values()
        if CARD in models and all("lightgbm_cpu" in record for record in models[CARD].values())
    ]
    return [
        measure("two classes: AUC against LightGBM's, points", CARD, "lightgbm", "auc", -1.0),
        measure("two classes: log loss less LightGBM's", CARD, "lightgbm", "log_loss", 0.0),
        size("two classes: edges, median", CARD, 50),
        measure("two classes, one column a rule: AUC against LightGBM's, points", PLAIN, "lightgbm", "auc", -2.0),
        size("two classes, one column a rule: edges, median", PLAIN, 40),
        measure("several classes: AUC against LightGBM's, points", CARD, "lightgbm", "auc", -1.5, True),
        measure("several classes: macro-F1 against our rules, points", CARD, OURS, "f1", -0.5, True),
        share("several classes: edges in those of our rules, median", OURS, 2.0, True),
        measure("two classes, up to 10,000 rows: AUC against EBM's, points", CARD, "ebm", "auc", -1.5),
        share("the same: edges in cells of EBM's curves, median", "ebm", 0.01, False),
        _goal("fit in fits of LightGBM, median of the tables", times, median(times) if times else 0.0, 60, True),
    ]


def _goal(name: str, values: list[float], value: float, bound: float, at_most: bool) -> Goal:
    target = f"at {'most' if at_most else 'least'} {bound:g}"
    if not values:
        return Goal("Must", name, target, "", "open")
    digits = 3 if "log loss" in name or bound == 0.01 else 2
    enough = value <= bound if at_most else value >= bound
    return Goal(
        "Must", name, target, f"{value:.{digits}f} ({plural(len(values), 'table')})", "met" if enough else "missed"
    )


def show_goals(records: Records) -> str:
    """Return the goals as a table."""
    rows = [(goal.name, goal.target, goal.value, goal.state) for goal in list_goals(records)]
    return markdown(("of scorecards", "target", "measured", ""), rows)


def show_tables(records: Records) -> str:
    """Return AUC, log loss and size of scorecards and others, table by table."""
    folds, rows = group_folds(records), []
    for table, models in folds.items():
        if CARD in models:
            own = {name: list(models[name].values()) for name in TITLES if name in models}
            rows.append((
                table,
                str(own[CARD][0]["classes"]),
                *(_cell(own.get(name), "auc", 100) for name in TITLES),
                *(_cell(own.get(name), "log_loss", 1) for name in (CARD, PLAIN, "lightgbm")),
                *(_cell(own.get(name), "edges", 1) for name in (CARD, PLAIN)),
            ))  # fmt: skip
    header = [f"AUC, {title}" for title in TITLES.values()]
    header += [f"log loss, {TITLES[name]}" for name in (CARD, PLAIN, "lightgbm")]
    return markdown(("table", "classes", *header, *(f"edges, {TITLES[name]}" for name in (CARD, PLAIN))), rows)


def _cell(records: list[Mapping[str, Any]] | None, field: str, scale: int) -> str:
    if not records:
        return ""
    value = scale * mean(record[field] for record in records)
    return f"{value:.3f}" if field == "log_loss" else f"{value:.0f}" if field == "edges" else f"{value:.1f}"
