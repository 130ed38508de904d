"""A million rows of adult's columns, against LightGBM and a tree; and rules on ready bits against reading the bits."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import cycle
from statistics import median
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.speed import models
from benchmarks.speed.measure import Measurement, Plan, faster, interleaved, slower
from benchmarks.speed.tables import adult, sampled
from conceptrules import MLLPClassifier, RuleNetwork
from conceptrules.model.evaluation import PackedBits, layers_plain
from conceptrules.tables.factoring import Formulas, fired_words
from conceptrules.tables.prediction import compile_plan
from conceptrules.tables.table import open_table

ROWS, QUICK_ROWS = 1_000_000, 200_000
UNCACHED = 256 * 2**20
"""Bytes of bits that are larger than a processor's last cache."""
TARGETS = {"dictionary": (50, 30), "plain strings": (10, 10)}


def measure(plan: Plan) -> Iterator[Measurement]:
    clf, boosted = models.ours(plan.seed), models.Boosted(threads=1)
    data = sampled(adult(), plan.pick(ROWS, QUICK_ROWS), plan.seed)
    expected = _plainly(clf, data.X.slice(0, 10_000))
    for library in ("pandas", "polars"):
        for kind, targets in TARGETS.items():
            table, tree = as_table(data.X, library, kind), models.tree(as_table(adult().X, library, kind))
            tasks = {"ours": clf.predict, "LightGBM": boosted.predict, "tree": tree.predict}
            found = clf.predict(table)
            assert np.array_equal(found[:10_000], expected), f"{library}, {kind}: other answers than the plain ones"
            gc.collect()
            times = interleaved({name: _call(task, table) for name, task in tasks.items()}, plan.repeats)
            details = {"data": data.source, "rows": len(table), "edges": clf.network_.edges, "threads": 1}
            stages = _stages(plan, clf.network_, table, median(times["ours"]))
            for baseline, target in zip(("LightGBM", "tree"), targets, strict=True):
                name = f"{library}, {kind}, against {baseline}"
                yield Measurement(name, faster(times, baseline), target, times=times, details=details | stages)
            del table, found
    yield _ready_bits(plan, clf, data.X)


def as_table(table: pa.Table, library: str, kind: str) -> Any:
    """The rows as a table of pandas or polars, text as its categorical type or as it comes."""
    text = models.text_columns() if kind == "dictionary" else []
    if library == "polars":
        return pl.DataFrame(table).with_columns(pl.col(text).cast(pl.Categorical))
    return table.to_pandas().astype(dict.fromkeys(text, "category"))


def ready_bits(network: RuleNetwork, table: Any) -> tuple[tuple[Formulas, ...], PackedBits]:
    """A network as it is compiled for prediction, and the words of the predicates that it uses."""
    compiled_network = compile_plan(network)
    return compiled_network.formulas, compiled_network.packed_bits(open_table(table))


def _stages(plan: Plan, network: RuleNetwork, table: Any, whole: float) -> dict[str, Any]:
    """Where the time of a prediction goes."""
    levels, words = ready_bits(network, table)
    stages = {"table to bits": lambda: ready_bits(network, table), "rules": lambda: fired_words(levels, words)}
    times = {name: median(taken) for name, taken in interleaved(stages, plan.repeats).items()}
    return {"seconds by stage": times | {"labels": whole - sum(times.values())}}


def _call(task: Any, table: Any) -> Any:
    return lambda: task(table)


def _plainly(clf: MLLPClassifier, table: pa.Table) -> NDArray[Any]:
    """What the network says by the evaluation that defines it."""
    network = clf.network_
    fired = layers_plain(network, clf.transform(table, layer=0))[-1]
    order = [network.classes.index(name) for name in network.priority]
    first = np.asarray(order)[fired[:, order].argmax(axis=1)]
    return clf.classes_[np.where(fired.any(axis=1), first, network.classes.index(network.default))]


def _ready_bits(plan: Plan, clf: MLLPClassifier, table: pa.Table) -> Measurement:
    """Reading: NumPy adds up every word of the used predicates, column by column.

    Both go from copy to copy of the bits, so many that no cache holds them: the words come from memory, as claimed.
    """
    levels, words = ready_bits(clf.network_, table)
    copies = [PackedBits(words.words.copy(), words.rows) for _ in range(-(-UNCACHED // words.words.nbytes))]
    ours, reading = cycle(copies), cycle(copies)
    tasks = {
        "ours": lambda: fired_words(levels, next(ours)),
        "reading": lambda: [np.add.reduce(column) for column in next(reading).words],
    }
    times = interleaved(tasks, plan.repeats, calls=len(copies))
    details = {"rows": words.rows, "used predicates": len(words.words), "edges": clf.network_.edges}
    details["copies"] = len(copies)
    values = slower(times, "reading")
    return Measurement("bits to classes, against reading the bits", values, 2, False, times=times, details=details)
