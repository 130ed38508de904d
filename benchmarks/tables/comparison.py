"""All models side by side: three groups of tables with a score each, their means and ranks, and where we lose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.paper.markdown import markdown, signed
from benchmarks.tables.scorecards import CARD, PLAIN
from benchmarks.tables.summary import FAST, FOLDS, OURS, mean_of
from conceptrules.model.text import plural

Records = Iterable[Mapping[str, Any]]
NUMBERS, THIRTY = "rules", "rules, 30 edges"
"""How the records of tables with a number to predict call ours."""
MOST_ROWS = 2_000
"""Up to this size all models but EBM are on record, so that pictures show them on the same tables."""
NONE = "\N{EN DASH}"


class Label(NamedTuple):
    """What pages call a model, and the unit of its size."""

    title: str
    unit: str
    colour: str


_MINE, _LATE, _READABLE, _MANY = "#c51b7d", "#de77ae", "#2166ac", "#8c8c8c"
LABELS = {
    OURS: Label("rules", "edges", _MINE),
    FAST: Label("rules, fast", "edges", _LATE),
    CARD: Label("scorecard", "edges", _MINE),
    PLAIN: Label("scorecard, one column a rule", "edges", _LATE),
    NUMBERS: Label("scorecard", "edges", _MINE),
    THIRTY: Label("scorecard of 30 edges", "edges", _LATE),
    "ebm": Label("EBM", "cells", _READABLE),
    "linear": Label("linear", "coefficients", _READABLE),
    "optbinning": Label("optbinning", "bins", _READABLE),
    "rulefit": Label("RuleFit", "conditions", _READABLE),
    "figs": Label("FIGS", "splits", _READABLE),
    "boosted-rules": Label("boosted rules", "rules", _READABLE),
    "cart-20": Label("CART, 20 leaves", "branches", _READABLE),
    "cart": Label("CART", "branches", _READABLE),
    "lightgbm": Label("LightGBM", "leaves", _MANY),
    "forest": Label("random forest", "leaves", _MANY),
}
"""All models, ours first, then those that can be read, then those of many trees."""
MINE = (OURS, FAST, CARD, PLAIN, NUMBERS, THIRTY)


class Outcome(NamedTuple):
    """A model on a table: the means of its folds."""

    score: float
    size: float | None
    """None where it was not counted, and so are columns."""
    columns: float | None
    cpu: float


@dataclass(frozen=True, slots=True)
class Group:
    """Tables that are judged by one score."""

    title: str
    score: str
    own: str
    """Which of ours is made for the score."""
    rows: Mapping[str, int]
    outcomes: Mapping[str, Mapping[str, Outcome | None]]
    """By table and model; None where the model was stopped or failed."""

    def up_to(self, rows: int) -> Group:
        """Return the tables of at most so many rows."""
        kept = {table: models for table, models in self.outcomes.items() if self.rows[table] <= rows}
        return Group(self.title, self.score, self.own, self.rows, kept)

    def complete_models(self) -> list[str]:
        """Return the models that were tried on all tables."""
        return [name for name in LABELS if self.outcomes and all(name in models for models in self.outcomes.values())]

    def column(self, model: str) -> dict[str, Outcome]:
        """Return what a model reached, by table."""
        return {table: models[model] for table, models in self.outcomes.items() if models.get(model) is not None}  # type: ignore[misc]


def make_groups(records: Records, numbers: Records) -> list[Group]:
    """Return the groups: tables of two classes, of several classes, and with a number to predict."""
    records = [record for record in records if record["seed"] == 0]
    classes = {record["table"]: record["classes"] for record in records if "classes" in record}
    two = [record for record in records if classes.get(record["table"]) == 2]
    several = [record for record in records if classes.get(record["table"], 0) > 2]
    return [
        _make_group("two classes", "AUC", CARD, two, "auc"),
        _make_group("several classes", "macro-F1", OURS, several, "f1"),
        _make_group("numbers", "R2", NUMBERS, numbers, "r2"),
    ]


def _make_group(title: str, score: str, own: str, records: Records, field: str) -> Group:
    folds: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for record in sorted(records, key=lambda each: (each["rows"], each["table"])):
        folds.setdefault(record["table"], {}).setdefault(record["model"], []).append(record)
    rows = {table: next(iter(models.values()))[0]["rows"] for table, models in folds.items()}
    outcomes = {
        table: {
            model: _summarise(runs, field)
            for model, runs in models.items()
            if model in LABELS and (len(runs) == FOLDS or any("note" in run for run in runs))
        }
        for table, models in folds.items()
    }
    return Group(title, score, own, rows, outcomes)


def _summarise(runs: list[Mapping[str, Any]], field: str) -> Outcome | None:
    if not all(field in run for run in runs):
        return None
    return Outcome(
        100 * mean(run[field] for run in runs),
        mean_of(runs, "edges"),
        mean_of(runs, "columns"),
        mean(run.get("cpu", run["seconds"]) for run in runs),
    )


def show_means(group: Group) -> str:
    """Return a table with a line for each model: its score, its size and its time."""
    rows = []
    for model, label in LABELS.items():
        column, clock = group.column(model), group.column("lightgbm")
        shared = [table for table in column if table in clock]
        if shared:
            whole = len(column) == len(group.outcomes)
            difference = signed(mean(column[table].score - clock[table].score for table in shared))
            rows.append((
                label.title,
                f"{mean(outcome.score for outcome in column.values()):.1f}" if whole else NONE,
                "" if model == "lightgbm" else difference + ("" if whole else f" ({plural(len(shared), 'table')})"),
                show_median((outcome.size for outcome in column.values()), label.unit) if whole else NONE,
                show_median(outcome.columns for outcome in column.values()) if whole else NONE,
                show_seconds(median(outcome.cpu for outcome in column.values())) if whole else NONE,
            ))  # fmt: skip
    header = (
        group.title,
        f"{group.score} (%), mean",
        "against LightGBM",
        "size, median",
        "columns, median",
        "time, median",
    )
    return markdown(header, rows)


def show_median(values: Iterable[float | None], unit: str = "") -> str:
    """Return the median of sizes, if all of them were counted."""
    known = list(values)
    return NONE if not known or None in known else f"{median(known):,.0f} {unit}".strip()  # type: ignore[type-var]


def show_seconds(seconds: float) -> str:
    """Return a time as people write it."""
    return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s" if seconds < 100 else f"{seconds:,.0f} s"


def show_losses(groups: Iterable[Group], most: int) -> str:
    """Return the tables on which ours is furthest behind the best model of others, the worst first."""
    lines = []
    for group in groups:
        gaps = []
        for table, models in group.outcomes.items():
            others = {name: outcome for name, outcome in models.items() if outcome and name not in MINE}
            own = models.get(group.own)
            if own and others:
                best = max(others, key=lambda name: others[name].score)
                gaps.append((own.score - others[best].score, table, own.score, best, others[best].score))
        behind = sum(gap[0] < 0 for gap in gaps)
        if gaps:
            lines.append(
                f"On {behind} of {plural(len(gaps), 'table')} ({group.title}), ours ({LABELS[group.own].title}) is "
                "behind the best of all other models:"
            )
            rows = [
                (table, f"{group.rows[table]:,}", f"{own:.1f}", f"{LABELS[best].title}: {other:.1f}", signed(gap))
                for gap, table, own, best, other in sorted(gaps)[:most]
            ]
            lines.append(markdown(("table", "rows", f"{group.score} (%), ours", "the best", "points"), rows))
    return "\n\n".join(lines)


def show_wins(group: Group) -> str:
    """Return on how many tables ours is ahead of each other model."""
    own, wins = group.column(group.own), []
    for model, label in LABELS.items():
        pairs = [(own[table].score, other.score) for table, other in group.column(model).items() if table in own]
        if pairs and model not in MINE:
            wins.append(f"{label.title} on {sum(mine > other for mine, other in pairs)} of {len(pairs)}")
    return f"By {group.score}, ours is ahead of {', '.join(wins)} tables."


def show_tables(group: Group, text: Callable[[Outcome], str]) -> str:
    """Return a table with a line for each table and a column for each model."""
    shown = [model for model in LABELS if group.column(model)]
    rows = [
        (table, f"{group.rows[table]:,}", *(_cell(models, model, text) for model in shown))
        for table, models in group.outcomes.items()
    ]
    return markdown((group.title, "rows", *(LABELS[model].title for model in shown)), rows)


def _cell(models: Mapping[str, Outcome | None], model: str, text: Callable[[Outcome], str]) -> str:
    if model not in models:
        return ""
    outcome = models[model]
    return "stopped" if outcome is None else text(outcome)


def rank_models(group: Group) -> tuple[dict[str, float], float]:
    """Return the mean rank of each model that was tried on all tables, and Nemenyi's critical difference at 5 %.

    Two models whose ranks are closer than that are not told apart. One that was stopped comes last on that table.
    """
    from scipy.stats import rankdata, studentized_range

    models = group.complete_models()
    scores = np.array([
        [-np.inf if (outcome := row[model]) is None else outcome.score for model in models]
        for row in group.outcomes.values()
    ])  # fmt: skip
    if len(models) < 2 or not len(scores):
        return {}, 0.0
    ranks = rankdata(-scores, axis=1).mean(axis=0)
    count = len(models)
    width = float(studentized_range.ppf(0.95, count, np.inf)) / 2**0.5
    critical = width * (count * (count + 1) / (6 * len(scores))) ** 0.5
    return dict(sorted(zip(models, ranks.tolist(), strict=True), key=lambda pair: pair[1])), critical


def join_models(ranks: Mapping[str, float], critical: float) -> list[tuple[str, str]]:
    """Return the first and the last model of each largest set that the critical difference does not tell apart."""
    names = list(ranks)
    sets: list[tuple[int, int]] = []
    for start, first in enumerate(names):
        last = max(k for k, name in enumerate(names) if ranks[name] - ranks[first] < critical)
        if last > start and (not sets or last > sets[-1][1]):
            sets.append((start, last))
    return [(names[start], names[last]) for start, last in sets]
