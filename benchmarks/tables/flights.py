"""A large table like one of flights: two columns of 250 categories, numbers, and noise; time and memory of a fit."""

from __future__ import annotations

import sys
import warnings
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from benchmarks import jsonl
from benchmarks.paper.scores import macro_f1
from benchmarks.peak_memory import begin_peak, peak
from benchmarks.tables.models import MODELS
from benchmarks.tables.runs import machine_name, warm_up

KEY = ("rows", "model")
RECORD = jsonl.RECORDS / "flights.jsonl"
CATEGORIES = 250


def flights(rows: int, seed: int = 0) -> tuple[pa.Table, np.ndarray]:
    """Return flights and whether each is late: some airports and evenings are, and a fifth of all answers is noise."""
    rng = np.random.default_rng(seed)
    airports = np.array([f"A{number:03d}" for number in range(CATEGORIES)])
    start, end = (rng.zipf(1.3, rows) % CATEGORIES for _ in range(2))
    hour, distance = rng.integers(0, 24, rows), rng.gamma(2.0, 400.0, rows).round()
    month, day, carrier = rng.integers(1, 13, rows), rng.integers(1, 8, rows), rng.integers(0, 12, rows)
    late = ((start % 7 == 3) & (hour > 15)) | ((end % 11 == 5) & (month < 4)) | ((distance < 200) & (carrier < 3))
    noise = rng.random(rows) < 0.2
    y = np.where(noise, rng.random(rows) < 0.3, late)
    columns = {
        "from": pa.array(airports[start]).dictionary_encode(),
        "to": pa.array(airports[end]).dictionary_encode(),
        "hour": hour, "distance": distance, "month": month, "weekday": day,
        "carrier": pa.array(np.array([f"C{number}" for number in range(12)])[carrier]).dictionary_encode(),
    }  # fmt: skip
    return pa.table(columns), np.where(y, "late", "on time")


def measure(rows: int, models: list[str]) -> list[dict[str, Any]]:
    """Fit each model once with one thread; LightGBM is the clock."""
    X, y = flights(rows + rows // 10)
    training, test = slice(rows), slice(rows, None)
    frame = pd.DataFrame({
        name: pd.Categorical(column.to_pandas()) if pa.types.is_dictionary(column.type) else column.to_numpy()
        for name, column in zip(X.column_names, X.columns, strict=True)
    })  # fmt: skip
    numbers = [not pa.types.is_dictionary(column.type) for column in X.columns]
    records, clock = [], 0.0
    for name in ("lightgbm", *models):
        warm_up(name)
        model = MODELS[name]
        parts = (X.slice(0, rows), X.slice(rows)) if model.ours else (frame.iloc[training], frame.iloc[test])
        estimator = model.make(numbers, 0, **model.settings)
        before = begin_peak()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = process_time()
            estimator.fit(parts[0], y[training])
            cpu = process_time() - start
        peak_bytes = peak() - before
        clock = clock or cpu
        record = {
            "rows": rows, "model": name, "f1": macro_f1(y[test], estimator.predict(parts[1])), "cpu": cpu,
            "lightgbm_cpu": clock, "peak_bytes": peak_bytes, "code_bytes": rows * X.num_columns,
            "edges": model.size(estimator)[0], "code": model.code(), **model.learner(), "machine": machine_name(),
        }  # fmt: skip
        records.append(jsonl.rounded(record))
    return records


def main(rows: int) -> int:
    """Measure, print and keep."""
    records = measure(rows, ["conceptrules-fast", "conceptrules"])
    jsonl.put(RECORD, records, KEY)
    for record in records:
        ratio, codes = record["cpu"] / record["lightgbm_cpu"], record["peak_bytes"] / record["code_bytes"]
        print(
            f"{record['model']}: macro-F1 {100 * record['f1']:.2f}, {record['cpu']:.1f} s "
            f"({ratio:.1f} fits of LightGBM), memory beyond the table {codes:.1f} times the codes, "
            f"{record['edges']} edges",
            file=sys.stdout,
        )
    return 0
