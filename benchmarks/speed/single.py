"""One row at a time, against scikit-learn's tree on one row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks.speed import models
from benchmarks.speed.measure import Measurement, Plan, interleaved, slower
from benchmarks.speed.prediction import as_table
from benchmarks.speed.tables import adult

KINDS = 50
"""Different rows that are asked for in turn."""


def measure(plan: Plan) -> Iterator[Measurement]:
    clf = models.ours(plan.seed)
    calls = plan.pick(500, 100)
    rows = adult().X.slice(0, KINDS).to_pylist()
    encoded, tree = _tree_on_arrays()
    tasks = {
        "dictionary": _each(clf.predict, rows),
        "array": _each(clf.predict, [np.array([list(row.values())], dtype=object) for row in rows]),
        "tree": _each(tree.predict, [encoded[[k]] for k in range(KINDS)]),
    }
    times = interleaved(tasks, plan.repeats, calls)
    details = {"data": adult().source, "calls a repeat": calls, "edges": clf.network_.edges}
    for ours in ("dictionary", "array"):
        name = f"one row as {ours}, against the tree on an array"
        yield Measurement(name, slower(times, "tree", ours), 3, at_least=False, times=times, details=details)
    for library in ("pandas", "polars"):
        table = as_table(adult().X, library, "plain strings")
        pipeline, frames = models.tree(table), [table[k : k + 1] for k in range(KINDS)]
        tasks = {"ours": _each(clf.predict, frames), "tree": _each(pipeline.predict, frames)}
        details = details | {"calls a repeat": calls // 5}
        times = interleaved(tasks, plan.repeats, calls // 5)
        name = f"one row as a {library} table, against the tree on one"
        yield Measurement(name, slower(times, "tree"), 1, at_least=False, times=times, details=details)


def _tree_on_arrays() -> tuple[np.ndarray, DecisionTreeClassifier]:
    """A tree that reads the encoded rows as an array of numbers, so that nothing but the tree is timed."""
    pipeline = models.tree(as_table(adult().X, "pandas", "plain strings"))
    encoded = pipeline[0].transform(as_table(adult().X.slice(0, KINDS), "pandas", "plain strings"))
    dense = np.asarray(encoded.todense() if hasattr(encoded, "todense") else encoded)
    return dense, pipeline[-1]


def _each(predict: Any, rows: list[Any]) -> Any:
    """A task that predicts the next of these rows."""
    turns = cycle(rows)
    return lambda: predict(next(turns))
