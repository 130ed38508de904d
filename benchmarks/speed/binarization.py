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
from conceptrules.rules.predicate import Interval

ROWS, QUICK_ROWS = 1_000_000, 200_000


def measure(plan: Plan) -> Iterator[Measurement]:
    rows = plan.pick(ROWS, QUICK_ROWS)
    data = sampled(adult(), rows, plan.seed)
    numbers = data.X.select(numeric_columns(data.X)).to_pandas()
    yield from _compare(plan, f"columns of {data.source}", numbers, data.y)
    yield from _compare(plan, "columns without equal values", *_all_different(rows, plan.seed))


def _all_different(rows: int, seed: int) -> tuple[pd.DataFrame, NDArray[np.str_]]:
    """Six columns of floats, each of which tells a little about the class."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(6, rows))
    answer = np.where(np.floor(2 * columns).sum(axis=0) + rng.normal(0, 5, rows) > -3, "yes", "no")
    return pd.DataFrame({f"x{k}": column for k, column in enumerate(columns)}, copy=False), answer


def _compare(plan: Plan, what: str, table: pd.DataFrame, y: NDArray) -> Iterator[Measurement]:
    columns = [np.ascontiguousarray(table[name].to_numpy()) for name in table]
    binarizer = Binarizer().fit(table, y)
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
