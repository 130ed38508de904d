"""The records in short: a cell for each table and model, and our goals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from statistics import mean, median, pstdev
from typing import Any

from benchmarks.paper.reference import data_names

FOLDS = 5
TABLES, SMALL = 39, 26
"""How many tables the suite has, and how many of them have fewer than 5,000 rows."""
OURS, FAST = "conceptrules", "conceptrules-fast"
PAPER_BEFORE = 88.39
"""The mean macro-F1 of the paper's twelve tables, on the paper's folds, before the suite was there."""
AIMS = {"adult": 81.5, "connect-4": 70.0, "letRecog": 95.0, "magic04": 86.5, "wine": 98.0}


@dataclass(frozen=True, slots=True)
class Cell:
    """A model on a table: means over the folds, and over the seeds if there are several. Scores are percentages."""

    rows: int
    f1: float
    accuracy: float
    log_loss: float
    cpu: float
    seeds: int
    spread: float
    """How far the seeds lie apart: the standard deviation of their macro-F1."""
    edges: float | None
    """The size, in the model's own terms."""
    ratio: float | None
    """The median of the times of a fit in fits of LightGBM; None where they were not taken side by side."""
    auc: float | None = None
    """None where it was not measured."""
    columns: float | None = None
    """How many columns of the table the model asks about; None where they were not counted."""
    edge_spread: float = 0.0
    """How far the seeds lie apart in edges: the standard deviation, as a share of the mean."""


Cells = dict[str, dict[str, Cell]]
"""By table, then by model."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure with its target, what it is now, and whether that is enough."""

    kind: str
    name: str
    target: str
    value: str
    state: str
    """It is met, missed, or open while records are missing."""


def summarise(records: Iterable[Mapping[str, Any]]) -> Cells:
    """Return a cell for each table and model, where all folds of a seed are there; the smallest table comes first."""
    runs: dict[tuple[int, str, str], dict[int, list[Mapping[str, Any]]]] = {}
    for record in records:
        if "note" not in record:
            runs.setdefault((record["rows"], record["table"], record["model"]), {}).setdefault(
                record["seed"], []
            ).append(record)
    cells: Cells = {}
    for (_, table, model), seeds in sorted(runs.items()):
        whole = [folds for folds in seeds.values() if len(folds) == FOLDS]
        if whole:
            cells.setdefault(table, {})[model] = _cell(whole)
    return cells


def _cell(seeds: list[list[Mapping[str, Any]]]) -> Cell:
    records = [record for folds in seeds for record in folds]
    means = [100 * mean(record["f1"] for record in folds) for folds in seeds]
    ratios = [record["cpu"] / record["lightgbm_cpu"] for record in records if "lightgbm_cpu" in record]
    edges, auc = mean_of(records, "edges"), mean_of(records, "auc")
    sizes = [mean(record["edges"] for record in folds) for folds in seeds] if edges else []
    return Cell(
        rows=records[0]["rows"],
        f1=mean(means),
        accuracy=100 * mean(record["accuracy"] for record in records),
        log_loss=mean(record["log_loss"] for record in records),
        cpu=mean(record["cpu"] for record in records),
        seeds=len(seeds),
        spread=pstdev(means),
        edges=edges,
        ratio=median(ratios) if ratios else None,
        auc=None if auc is None else 100 * auc,
        columns=mean_of(records, "columns"),
        edge_spread=pstdev(sizes) / mean(sizes) if edges else 0.0,
    )


def mean_of(records: Iterable[Mapping[str, Any]], field: str) -> float | None:
    """Return the mean of a field, and None where a record lacks it."""
    values = [record.get(field) for record in records]
    return None if None in values else mean(values)  # type: ignore[type-var]


def cells_of(cells: Cells, *models: str, names: Collection[str] | None = None) -> list[tuple[Cell, ...]]:
    """Return the cells of some models side by side, on the tables (or those named) that have all of them."""
    rows = [row for name, row in cells.items() if names is None or name in names]
    return [tuple(row[model] for model in models) for row in rows if all(model in row for model in models)]


def goals(cells: Cells, flights: Iterable[Mapping[str, Any]] = ()) -> list[Goal]:
    """Return the goals of our two estimators, with what they reach on the tables on record, and on flights."""
    own_flights = [record for record in flights if record["model"] == OURS]
    beside_cart, beside_lightgbm, ours = (
        cells_of(cells, OURS, "cart"),
        cells_of(cells, OURS, "lightgbm"),
        cells_of(cells, OURS),
    )
    ahead = [own.f1 - cart.f1 for own, cart in beside_cart]
    fewer = [float((own.edges or 0) < (cart.edges or 0)) for own, cart in beside_cart]
    against_lightgbm = [own.f1 - other.f1 for own, other in beside_lightgbm]
    twelve = [own.f1 for (own,) in cells_of(cells, OURS, names=data_names())]
    small = [own.cpu for (own,) in ours if own.rows < 5000]
    ebm = [own.cpu / other.cpu for own, other in cells_of(cells, OURS, "ebm")]
    adult, fast = _ratios(cells_of(cells, OURS, names=["adult"])), _ratios(cells_of(cells, FAST))
    return [
        _goal("Must", "mean macro-F1 above CART's, points", ahead, mean, 3.0),
        _goal("Must", "tables with fewer edges than CART", fewer, sum, 35.0),
        _goal("Must", "mean macro-F1 against LightGBM's, points", against_lightgbm, mean, -1.5),
        _goal("Must", "worst table against LightGBM, points of macro-F1", against_lightgbm, min, -8.0),
        _goal("Must", "mean macro-F1 of the paper's twelve", twelve, mean, PAPER_BEFORE - 0.2, 12),
        _goal("Must", "fit in fits of LightGBM, median of the tables", _ratios(ours), median, 40.0, at_most=True),
        _goal("Must", "fit in fits of LightGBM, worst table", _ratios(ours), max, 150.0, at_most=True),
        _goal("Must", "fit in fits of LightGBM, adult", adult, max, 100.0, 1, at_most=True),
        _goal("Must", "fit of `fast` in fits of LightGBM, median of the tables", fast, median, 5.0, at_most=True),
        _goal("Must", "slowest table under 5,000 rows, seconds of one core", small, max, 10.0, SMALL, at_most=True),
        _goal(
            "Must",
            "fit in fits of LightGBM, a million flights",
            _shares(own_flights, "cpu", "lightgbm_cpu"),
            max,
            60.0,
            1,
            True,
        ),
        _goal(
            "Must",
            "memory in terms of the codes, a million flights",
            _shares(own_flights, "peak_bytes", "code_bytes"),
            max,
            3.0,
            1,
            True,
        ),
        _goal("Aim", "mean macro-F1 against LightGBM's, points", against_lightgbm, mean, 0.0),
        *(
            _goal(
                "Aim", f"macro-F1 of {name}", [own.f1 for (own,) in cells_of(cells, OURS, names=[name])], mean, bound, 1
            )
            for name, bound in AIMS.items()
        ),
        _goal("Aim", "fit in fits of EBM, worst table", ebm, max, 1.0, at_most=True),
    ]


def _shares(records: Iterable[Mapping[str, Any]], part: str, whole: str) -> list[float]:
    return [record[part] / record[whole] for record in records]


def _ratios(rows: list[tuple[Cell, ...]]) -> list[float]:
    return [row[0].ratio for row in rows if row[0].ratio is not None]


def _goal(
    kind: str,
    name: str,
    values: list[float],
    reduce: Callable[[list[float]], float],
    bound: float,
    expected: int = TABLES,
    at_most: bool = False,
) -> Goal:
    """Return a goal with its state, which is open as long as fewer tables than it is about are on record."""
    target = f"at {'most' if at_most else 'least'} {bound:g}"
    if not values:
        return Goal(kind, name, target, "", "open")
    value, incomplete = reduce(values), len(values) < expected
    text = f"{value:.2f}" + (f" ({len(values)} of {expected} tables)" if incomplete else "")
    enough = value <= bound if at_most else value >= bound
    return Goal(kind, name, target, text, "open" if incomplete else "met" if enough else "missed")
