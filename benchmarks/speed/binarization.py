"""Cut points against `numpy.argsort` of the same columns, bits against `numpy.searchsorted`; one thread each."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.speed.measure import Measurement, Plan, interleaved, slower
from benchmarks.speed.tables import adult, numeric_columns, sampled
from conceptrules.binarize import Binarizer
from conceptrules.model.predicate import Interval

ROWS, QUICK_ROWS = 1_000_000, 200_000


def measure(plan: Plan) -> Iterator[Measurement]:
    rows = plan.pick(ROWS, QUICK_ROWS)
    original = adult()
    data = sampled(original, rows, plan.seed)
    names = numeric_columns(data.X)
    # For the transform the cuts are those of the table itself: every one of its rows is drawn some thirty times, which
    # makes cut points of chance (8,753 intervals, where the table has 53).
    binarizer = Binarizer().fit(original.X.select(names), original.y)
    yield from _compare(plan, f"columns of {data.source}", data.X.select(names).to_pandas(), data.y, binarizer)
    table, y = _all_different(rows, plan.seed)
    yield from _compare(plan, "columns without equal values", table, y, Binarizer().fit(table, y))


def _all_different(rows: int, seed: int) -> tuple[pd.DataFrame, NDArray[np.str_]]:
    """Six columns of floats, each of which tells a little about the class."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(6, rows))
    answer = np.where(np.floor(2 * columns).sum(axis=0) + rng.normal(0, 5, rows) > -3, "yes", "no")
    return pd.DataFrame({f"x{k}": column for k, column in enumerate(columns)}, copy=False), answer


def _compare(plan: Plan, what: str, table: pd.DataFrame, y: NDArray, binarizer: Binarizer) -> Iterator[Measurement]:
    columns = [np.ascontiguousarray(table[name].to_numpy()) for name in table]
    cuts = [_cuts(binarizer, name) for name in table]
    details = {"rows": len(table), "columns": len(columns), "intervals": len(binarizer.predicates_)}
    gc.collect()
    times = interleaved(
        {
            "ours": lambda: Binarizer().fit(table, y),
            "numpy.argsort": lambda: [np.argsort(column) for column in columns],
        },
        plan.repeats,
    )
    values = slower(times, "numpy.argsort")
    yield Measurement(f"fit, {what}", values, 4, at_least=False, times=times, details=details)
    times = interleaved(
        {
            "ours": lambda: binarizer.transform(table),
            "numpy.searchsorted": lambda: list(map(np.searchsorted, cuts, columns)),
        },
        plan.repeats,
    )
    values = slower(times, "numpy.searchsorted")
    yield Measurement(f"transform, {what}", values, 2, at_least=False, times=times, details=details)


def _cuts(binarizer: Binarizer, name: str) -> NDArray[np.float64]:
    """Where one column is cut."""
    intervals = [p for p in binarizer.predicates_ if isinstance(p, Interval) and p.column == name]
    return np.array([interval.high for interval in intervals[:-1]])
